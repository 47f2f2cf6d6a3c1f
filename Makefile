# Two commands do everything on a fresh machine with Python 3.11+, pip and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo test golden bench docs clean

help: ## show what there is
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(READY)

demo: $(READY) ## set up, ingest the examples, answer questions with citations
	$(BIN)/python examples/demo.py

test: $(READY) ## format and lint, types, import contracts, docs up to date, then pytest: what CI runs
	$(BIN)/ruff format --check src tests bench examples
	$(BIN)/ruff check src tests bench examples
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports
	$(BIN)/python docs/build.py --check
	$(BIN)/python -m pytest -n 2

golden: $(READY) ## rewrite the golden files, then show the difference
	PECIA_WRITE_GOLDEN=1 $(BIN)/python -m pytest -q tests/golden || true
	git diff --stat -- tests/golden

PEERS := .bench/bin/python
$(PEERS): bench/requirements.txt
	$(PYTHON) -m venv .bench
	$(PEERS) -m pip install --quiet --disable-pip-version-check -r bench/requirements.txt
	touch $(PEERS)

TEXTS ?= .bench/texts
bench: $(READY) $(PEERS) ## speed beside other chunkers; TEXTS=FOLDER for texts of your own
	test -d $(TEXTS) || $(BIN)/python bench/speed.py $(TEXTS) --make
	$(BIN)/python bench/speed.py $(TEXTS) --peers $(PEERS)

docs: $(READY) ## regenerate help and reference pages
	$(BIN)/python docs/build.py

clean: ## remove what the targets made
	rm -rf $(VENV) .bench .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist demo-library
