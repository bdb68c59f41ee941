# Makes this checkout importable where nothing can be installed from a registry: source it in the repository's root, with the
# wheels of lark, z3-solver and rich in .whl.
python3 -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --upgrade --target /tmp/site .whl/*.whl || exit
ln -sfn "$PWD/grammar" transpiler/grammar
ln -sfn "$PWD/templates" transpiler/templates
export PYTHONPATH=/tmp/site:$PWD PYTHONUNBUFFERED=1 TRANSPILER_CACHE_DIR=/tmp/transpiler-cache
