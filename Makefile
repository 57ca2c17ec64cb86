# The doors of the project. A fresh machine needs git, make and python3 (3.11 or later) with venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
BENCHMARKS := frames session_engines json_logs report
CHECKS := lint types floors budget guide wheel
TIMED  := sh .ci/timed

.PHONY: help demo native test test-deep check $(CHECKS) bench bench-all fuzz agree error-rates docs clean
.DEFAULT_GOAL := help

help: ## what one can do here
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# What is installed is remembered by a stamp, so that a second run has nothing to do.
$(VENV)/.made:
	@test -x $(BIN)/python || echo "Making $(VENV) …"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "gainful needs Python 3.11 or later; set PYTHON=python3.x"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.base: pyproject.toml | $(VENV)/.made
	@echo "Installing gainful …"
	@sh .ci/install $(BIN)/python -e '.[report]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.made
	@echo "Installing gainful and what its checks need (once; a minute or so) …"
	@sh .ci/install $(BIN)/python -e '.[dev]'
	@touch $@ $(VENV)/.base

demo: $(VENV)/.base ## set everything up, judge runs and sessions, and draw figures and pages into demo/
	@sh demo.sh $(BIN)/gainful

test: $(VENV)/.dev ## run all tests and examples, and print the branch coverage
	@rm -rf .coverage.d
	@COVERAGE=.coverage.d $(BIN)/python -m pytest -q -n auto --dist loadfile
	@$(BIN)/python tools/coverage.py .coverage.d
	@echo
	@echo "All tests passed. Next: make check (lint, types, floors, docs, wheel) or make bench (speed)."

test-deep: $(VENV)/.dev ## the tests with a thousand examples for each property (an hour or so)
	@$(BIN)/python -m pytest -q -n auto --dist loadfile --hypothesis-profile=deep

check: $(VENV)/.dev ## lint, format, types, floors, docs, and the wheel by itself, side by side
	@$(MAKE) --no-print-directory --output-sync=target -j2 $(CHECKS)
	@echo "All checks passed. Next: make test."

lint: $(VENV)/.dev
	@$(TIMED) "lint and format" "$(BIN)/ruff check --quiet . && $(BIN)/ruff format --check --quiet ."

types: $(VENV)/.dev
	@$(TIMED) "types" $(BIN)/mypy

budget: $(VENV)/.dev
	@$(TIMED) "budget of rooms" "$(BIN)/python -m tools.budget"

floors: $(VENV)/.dev
	@$(TIMED) "floors and cycles" "$(BIN)/lint-imports --no-logo"

guide: $(VENV)/.dev
	@$(TIMED) "documents" "$(BIN)/python -m tools.docs --check && $(BIN)/zensical build --clean >/dev/null"

wheel: $(VENV)/.dev
	@$(TIMED) "wheel" "sh .ci/wheel $(BIN)/python"

native: $(VENV)/.base ## compile the native engine into the environment (needs a C compiler)
	@$(BIN)/python native/build_library.py
	@echo "$(CURDIR)/native" > $$($(BIN)/python -c 'import site; print(site.getsitepackages()[0])')/gainful_native.pth
	@$(BIN)/gainful --version

bench: $(VENV)/.dev ## measure speed against the other tools, as ratios on one page (TREC_EVAL=path for a real trec_eval; six minutes)
	@$(BIN)/python -m compileall -q src benchmarks
	@$(BIN)/python benchmarks/page.py

bench-all: bench ## that page, and all that looks closer at one thing
	@for name in $(BENCHMARKS); do $(BIN)/python benchmarks/$$name.py && echo || exit 1; done

fuzz: $(VENV)/.dev ## try to break it: CASES=200000 SEED=… of files, commands, names, tables, logs, pages
	@$(BIN)/python -m tools.fuzz --cases $(or $(CASES),20000) $(if $(SEED),--seed $(SEED)) --keep .cache/findings

agree: $(VENV)/.dev ## compare with the real tools (TREC_EVAL=path for a real trec_eval), and write the table of the docs
	@$(BIN)/python -m tools.agree --cases $(or $(CASES),1000) $(if $(SEED),--seed $(SEED))

error-rates: $(VENV)/.dev ## measure how often tests err, and write the table of the docs (TRIALS=5000; ten minutes)
	@$(BIN)/python -m tools.error_rates --trials $(or $(TRIALS),5000) $(if $(SEED),--seed $(SEED))

docs: $(VENV)/.dev ## build the documentation into site/
	@$(BIN)/python -m tools.docs
	@$(BIN)/zensical build --clean >/dev/null
	@echo "Documentation built: open site/index.html; with its search: python3 -m http.server -d site"

clean: ## remove all that was made
	@rm -rf $(VENV) site dist build demo .coverage.d .pytest_cache .mypy_cache .ruff_cache .hypothesis .cache
