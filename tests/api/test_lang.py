"""The words of the language at run time: inert, light, and clear about being called on the host."""

import pickle
import subprocess
import sys

import pytest

import transpiler
from transpiler import Const, Dim, DType, In, Strided, bf16, cuda, device, f16, f32, permutation, requires


class M(Dim): ...


class N(Dim): ...


HEAVY = ("cupy", "numpy", "z3", "lark", "jinja2", "ml_dtypes", "rich", "click", "inspect", "dataclasses")


def test_importing_the_package_loads_nothing_heavy():
    code = f"import sys, transpiler; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (N // 32, "(N // 32)"),
        (32 * N + 1, "((32 * N) + 1)"),
        (-M, "-M"),
        (N % 2**5, "(N % 32)"),
        (N - M, "(N - M)"),
        (N < 3, "(N < 3)"),
        (In[f32, M, N], "In[f32, M, N]"),
        (In[f32, M, N // 2, Strided], "In[f32, M, (N // 2), Strided]"),
        (In[f32, ()], "In[f32, ()]"),
        (In[f32, N] | None, "In[f32, N] | None"),
        (None | In[f32, N], "None | In[f32, N]"),
        (Const[int], "Const[int]"),
    ],
)
def test_annotations_and_decorator_arguments_are_values(value: object, text: str):
    assert repr(value) == text


def test_a_dim_has_no_value_before_a_launch():
    with pytest.raises(TypeError, match="no value before a launch"):
        bool(N < 3)
    with pytest.raises(TypeError, match="no value before a launch"):
        range(N // 2)


def test_generic_dtypes_remember_their_alternatives():
    class T(DType, of=(f16, bf16, f32)): ...

    assert T.of == (f16, bf16, f32)


def test_words_of_kernels_refuse_to_run_on_the_host():
    with pytest.raises(TypeError, match=r"`requires\(...\)` has a meaning inside a kernel only"):
        requires(True)
    with pytest.raises(TypeError, match=r"`cuda.atomic.add\(...\)`"):
        cuda.atomic.add([0], 0, 1)
    with pytest.raises(TypeError, match="converts inside a kernel"):
        f32(1)


def test_a_device_function_has_no_host_version():
    @device
    def twice(x: f32):
        return x + x

    with pytest.raises(TypeError, match="`twice` is a @device function"):
        twice(1.0)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="atomics"):
        _ = cuda.atomics


def test_words_pickle():
    assert repr(pickle.loads(pickle.dumps(permutation))) == repr(permutation)


def test_all_lists_what_exists():
    assert all(hasattr(transpiler, name) for name in transpiler.__all__)
