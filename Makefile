# `make` alone lists what there is. Everything runs in .venv, which `make setup` makes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
FILE ?= tests/data/captures/postgresql.log
PYTEST_ARGS ?=

.PHONY: help setup demo test lint types bench bench-model vsix e2e kernels clean

help:
	@echo "make setup            make .venv with Milepost and everything its tests need"
	@echo "make demo             outline a real PostgreSQL log (make demo FILE=path: any file)"
	@echo "make test             lint, types and all tests"
	@echo "make bench            measure, and print the tables"
	@echo "make bench-model      summaries and questions by a real model (tests/tools/install_model.sh), about an hour"
	@echo "make vsix             package the VS Code extension, with the server inside"
	@echo "make e2e              try the packaged extension in a real workbench (E2E_ARGS='-t NAME': some of it)"
	@echo "make clean            remove .venv and caches"

setup: $(READY)

# Debian keeps what `python3 -m venv` needs in a package of its own.
$(READY): pyproject.toml tests/tools/ensure_venv.sh
	@bash tests/tools/ensure_venv.sh "$(PYTHON)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing Milepost and its tools into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $(READY)

demo: setup
	@$(BIN)/milepost outline "$(FILE)"

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

test: lint types
	$(BIN)/pytest -n 2 $(PYTEST_ARGS)

bench: setup
	$(BIN)/python tests/bench/run.py $(BENCH_ARGS)

bench-model: setup
	$(BIN)/python tests/bench/bench_model.py $(BENCH_ARGS)

# Node, where there is none that will do, comes in a wheel from PyPI.
vsix: setup
	bash client-vscode/scripts/package.sh

e2e: vsix
	bash tests/e2e/run.sh $(E2E_ARGS)

# Inner loops compiled to WebAssembly, kept beside their sources. clang 14 and lld are Debian packages.
KERNELS = server/milepost/core/tables/kernel.wasm server/milepost/core/structure/json_kernel.wasm
TO =
kernels:
	set -e; for kernel in $(KERNELS); do \
	  clang-14 --target=wasm32 -O3 -msimd128 -mbulk-memory -nostdlib -ffreestanding -Iserver/milepost/core -Wall -Wextra -Werror -Wno-parentheses \
	    -Wl,--no-entry -Wl,--strip-all -o $(or $(TO),$$(dirname $$kernel))/$$(basename $$kernel) $${kernel%.wasm}.c; \
	  chmod 644 $(or $(TO),$$(dirname $$kernel))/$$(basename $$kernel); \
	done

clean:
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis
