# Two commands: `make serve` and `make test`. Both set everything up in .venv first.
PYTHON ?= python3
BIN := .venv/bin

# Compiled sources are kept whatever the shell says: hundreds of processes that a test run starts load them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: serve test test-long check words warm clean

serve: .venv/.installed
	@$(BIN)/hedgerow serve

# Three workers, on two cores too: a third of the time a test waits for a server or a browser.
test: .venv/.tested
	$(BIN)/python -m pytest -n 3 --dist loadgroup --no-loadscope-reorder

# Thousands of random games through both versions of the rules; 20,000 fuzzed cases; ten minutes of siege.
test-long: .venv/.tested
	HEDGEROW_LONG=1 $(BIN)/python -m pytest --timeout 0 tests/test_contract.py -k plain_rules_equal -n 2 --dist loadgroup --durations 5
	HEDGEROW_FUZZ=$${HEDGEROW_FUZZ:-20000} $(BIN)/python -m pytest --timeout 0 tests/serve/test_fuzz.py tests/serve/test_fuzz_socket.py \
	  tests/serve/test_raw_bytes.py tests/serve/test_post_fuzz.py tests/serve/test_post_siege.py -n 2 --dist loadgroup -rP
	HEDGEROW_SOAK=$${HEDGEROW_SOAK:-600} HEDGEROW_SOAK_GAMES=$${HEDGEROW_SOAK_GAMES:-1000} \
	  HEDGEROW_SOAK_KILL=$${HEDGEROW_SOAK_KILL:-20} $(BIN)/python -m pytest --timeout 0 tests/serve/test_soak.py -s

check: .venv/.tested
	$(BIN)/ruff format --check src tests
	$(BIN)/ruff check src tests
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_layers.py
	@if command -v tsc >/dev/null; then tsc -p . && echo "types of the scripts: fine"; \
	  else echo "types of the scripts are not checked; hint: apt install node-typescript"; fi

words: .venv/.tested
	$(BIN)/python docs/words.py $(basename $(notdir $(wildcard src/hedgerow/serve/web/words/*.po)))

warm: .venv/.installed
	$(BIN)/hedgerow warm

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Hedgerow needs Python 3.11 or newer; hint: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "Python's venv is missing; hint: on Debian or Ubuntu, apt install python3-venv"; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "could not make .venv"; exit 1; }

.venv/.installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/.tested: .venv/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@
