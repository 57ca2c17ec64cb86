# The doors of the project. A fresh machine needs git, make and python3 (3.11 or later) with venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
BENCHMARKS := arrays runs frames sessions sessions_sweep compare explore report
SOURCES := $(shell find src -name '*.py')

.PHONY: help demo test check bench docs clean
.DEFAULT_GOAL := help

help: ## what one can do here
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-7s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# What is installed is remembered by a stamp, so that a second run has nothing to do.
$(VENV)/.made:
	@echo "Making $(VENV) …"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "gainful needs Python 3.11 or later; set PYTHON=python3.x"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.base: pyproject.toml | $(VENV)/.made
	@echo "Installing gainful …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[report]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.made
	@echo "Installing gainful and what its checks need (once; a minute or so) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.base

demo: $(VENV)/.base ## set everything up, judge runs and sessions, and draw figures and pages into demo/
	@sh demo.sh $(BIN)/gainful

test: $(VENV)/.dev ## run all tests and examples, and print the branch coverage
	@$(BIN)/python -m pytest -q -n auto --dist loadfile --cov --cov-report=term
	@echo
	@echo "All tests passed. Next: make check (lint, types, layers, wheel) or make bench (speed)."

check: $(VENV)/.dev ## lint, format, types, layers, file sizes, docs, and the wheel by itself
	@echo "ruff …";        $(BIN)/ruff check --quiet . && $(BIN)/ruff format --check --quiet .
	@echo "mypy …";        $(BIN)/mypy
	@echo "import-linter …"; $(BIN)/lint-imports --no-logo
	@echo "file sizes …";  awk 'FNR == 401 { print FILENAME ": more than 400 lines"; bad = 1 } END { exit bad }' $(SOURCES)
	@echo "docs …";        $(BIN)/python tools/docs.py --check && $(MAKE) --no-print-directory docs
	@echo "wheel …";       sh .ci/wheel $(BIN)/python
	@echo "All checks passed. Next: make test."

bench: $(VENV)/.dev ## measure speed against the other tools, as ratios in one run (eight minutes)
	@for one in $(BENCHMARKS); do $(BIN)/python benchmarks/$$one.py && echo || exit 1; done

docs: $(VENV)/.dev ## build the documentation into site/
	@$(BIN)/python tools/docs.py
	@$(BIN)/zensical build --clean >/dev/null
	@echo "Documentation built: open site/index.html"

clean: ## remove all that was made
	@rm -rf $(VENV) site dist build demo .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis .cache
