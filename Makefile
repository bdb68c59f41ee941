# `make demo` and `make test` need Python 3.11 or newer and nothing else: each makes .venv if need be and installs the project in it.
VENV ?= .venv
BIN := $(VENV)/bin
DEMO ?= samples/simt/saxpy.py
PYTEST_ARGS ?=
FUZZ_SECONDS ?= 3600
FUZZ ?= tests/properties tests/frontend/test_robustness.py tests/intrinsics/test_floats.py
export VENV

.PHONY: help demo test fuzz lint format bench dist clean

help:
	@echo "make demo    check, transpile and run a sample (on a GPU if there is one, else simulated)"
	@echo "make test    the whole test suite (PYTEST_ARGS='tests/cli -x' for a part)"
	@echo "make fuzz    the property tests again and again, each time from another seed (FUZZ_SECONDS=3600)"
	@echo "make lint    ruff and pyright;   make format   rewrite in the house format"
	@echo "make bench   the benchmarks of the transpiler itself"
	@echo "make dist    wheel and sdist in dist/;   make clean   remove what was made, .venv included"

demo:
	@.ci/venv
	$(BIN)/transpile check -v $(DEMO)
	$(BIN)/transpile emit $(DEMO) -o build/demo
	@cat build/demo/$(basename $(notdir $(DEMO))).cu
	$(BIN)/transpile run $(DEMO)

test:
	@.ci/venv test
	@$(BIN)/python -m pytest --dist loadgroup -n $$($(BIN)/python -c 'import os; print(min(8, os.cpu_count() or 1))') $(PYTEST_ARGS)

fuzz:
	@.ci/venv test
	@end=$$(( $$(date +%s) + $(FUZZ_SECONDS) )); rounds=0; \
	while [ $$(date +%s) -lt $$end ]; do \
	    seed=$$($(BIN)/python -c 'import random; print(random.randrange(2**32))'); echo "seed $$seed"; \
	    $(BIN)/python -m pytest $(FUZZ) --hypothesis-seed=$$seed || exit 1; \
	    left=$$(( end - $$(date +%s) )); [ $$left -lt 600 ] || left=600; \
	    [ $$left -lt 1 ] || $(BIN)/python -m tests.properties.fuzz --seconds $$left --seed $$seed || exit 1; \
	    rounds=$$((rounds + 1)); \
	done; echo "$$rounds rounds, nothing found"

bench:
	@.ci/venv test
	@for name in parse stages simulator cold_start prover editor; do echo "--- $$name"; $(BIN)/python bench/$$name.py || exit 1; done

lint:
	@.ci/venv test dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

format:
	@.ci/venv test dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

dist:
	@.ci/venv test dev
	$(BIN)/python -m build

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
