# find_package(Transpiler): kernels written in Python as part of a C++ target.
#
#   transpiler_add_kernels(<target> SOURCES a.py b.py
#                          [ARCHS 80 90 120]              # else CMAKE_CUDA_ARCHITECTURES
#                          [EMBED source|cubin|ptx]       # else source where the project uses the language CUDA, cubin elsewhere
#                          [LINE_INFO] [DENY_TRUST])
#
# Each kernel file becomes NAME.h, which the target and what links to it can include, and its launchers become part of the target.
# EMBED source has nvcc compile NAME.cu; cubin and ptx put machine code into the program, which loads it through the driver: then
# building needs neither nvcc nor a CUDA toolkit (but for the headers of f16 and bf16 where kernels take them).
# A kernel file is looked at again when it, a file that it imports, or the transpiler changes; one with an error fails the build
# with its line in Python, and what was generated before stays.

if(CMAKE_VERSION VERSION_LESS 3.21)
  set(Transpiler_FOUND FALSE)
  set(Transpiler_NOT_FOUND_MESSAGE "CMake 3.21 is needed, for depfiles under Make")
  return()
endif()

# The command of the environment that this file is installed in, else that of the path.
find_program(Transpiler_EXECUTABLE transpile
             HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../../../../bin" "${CMAKE_CURRENT_LIST_DIR}/../../../../../Scripts")
mark_as_advanced(Transpiler_EXECUTABLE)
if(NOT Transpiler_EXECUTABLE)
  set(Transpiler_FOUND FALSE)
  set(Transpiler_NOT_FOUND_MESSAGE "the command `transpile` is not on the path: set Transpiler_EXECUTABLE")
  return()
endif()

# "80;sm_90" as "sm_80,sm_90"; real and virtual architectures of CMake are the same here.
function(_transpiler_archs out)
  set(archs "")
  foreach(arch IN LISTS ARGN)
    if(NOT arch MATCHES "^(sm_)?([0-9]+[af]?)(-real|-virtual)?$")
      message(FATAL_ERROR "transpiler_add_kernels: \"${arch}\" is no architecture such as 90; give ARCHS")
    endif()
    list(APPEND archs "sm_${CMAKE_MATCH_2}")
  endforeach()
  list(REMOVE_DUPLICATES archs)
  set(${out} "${archs}" PARENT_SCOPE)
endfunction()

function(transpiler_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LINE_INFO;DENY_TRUST" "EMBED" "SOURCES;ARCHS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "transpiler_add_kernels(<target> SOURCES a.py ... [ARCHS ...] [EMBED source|cubin|ptx]): "
                        "unexpected \"${arg_UNPARSED_ARGUMENTS}\"")
  endif()
  if(NOT arg_EMBED)
    if(CMAKE_CUDA_COMPILER)
      set(arg_EMBED source)
    else()
      set(arg_EMBED cubin)
    endif()
  endif()
  if(NOT arg_EMBED MATCHES "^(source|cubin|ptx)$")
    message(FATAL_ERROR "transpiler_add_kernels: EMBED is source, cubin or ptx, not ${arg_EMBED}")
  endif()
  if(NOT arg_ARCHS)
    set(arg_ARCHS ${CMAKE_CUDA_ARCHITECTURES})
  endif()
  if(NOT arg_ARCHS)
    message(FATAL_ERROR "transpiler_add_kernels: give ARCHS, such as 80 90, or set CMAKE_CUDA_ARCHITECTURES")
  endif()
  _transpiler_archs(archs ${arg_ARCHS})
  list(JOIN archs "," arch_list)

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/transpiler/${target}")
  file(MAKE_DIRECTORY "${folder}")
  set(flags --embed ${arg_EMBED} --arch ${arch_list} --format gcc)
  if(arg_LINE_INFO)
    list(APPEND flags --line-info)
  endif()
  if(arg_DENY_TRUST)
    list(APPEND flags --deny-trust)
  endif()
  set(shared "${folder}/transpiler_runtime.h" "${folder}/transpiler_checks.h")

  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(source "${source}" ABSOLUTE)
    get_filename_component(name "${source}" NAME_WLE)
    string(REGEX REPLACE "[^A-Za-z0-9_]" "_" name "${name}")
    string(REGEX REPLACE "^([0-9])" "k\\1" name "${name}")
    set(base "${folder}/${name}")
    if(arg_EMBED STREQUAL "source")
      set(extra "${base}.options")
    else()
      set(extra "${base}_images.inc")
    endif()
    add_custom_command(
      OUTPUT "${base}.json" "${base}.cu" "${base}.h" "${base}_launch.cpp" "${extra}"
      BYPRODUCTS ${shared}
      COMMAND "${Transpiler_EXECUTABLE}" emit "${source}" -o "${folder}" --depfile "${base}.d" ${flags}
      DEPENDS "${source}"
      DEPFILE "${base}.d"
      COMMENT "Proving and transpiling ${name}.py"
      VERBATIM)
    set(shared "")
    target_sources(${target} PRIVATE "${base}_launch.cpp" "${base}.h")
    if(arg_EMBED STREQUAL "source")
      # Options of the decorators (fma="off" and the like) are known when the file is transpiled, hence a file of them.
      set_source_files_properties("${base}.cu" PROPERTIES COMPILE_OPTIONS "--options-file;${base}.options"
                                                          OBJECT_DEPENDS "${base}.options")
      target_sources(${target} PRIVATE "${base}.cu")
    endif()
  endforeach()

  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${folder}>")
  target_compile_features(${target} PUBLIC cxx_std_17)
  if(arg_EMBED STREQUAL "source")
    find_package(CUDAToolkit REQUIRED)
    target_link_libraries(${target} PRIVATE CUDA::cudart)
    list(TRANSFORM archs REPLACE "^sm_" "")
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${archs}")
  else()
    target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
  endif()
endfunction()
