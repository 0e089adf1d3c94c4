# Everything that one does here, a target each; `make` lists them.
# What a target needs it brings up first, and nothing is brought up twice:
# the stamps in _build/stamps say what was done, and what it was done from.

SHELL := bash
# A recipe fails at its first failing command, in a pipe too: `pytest | tee` once hid a red run.
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := help

LAB ?= fastpath
PROFILE ?= quick
PORT ?= 8000

# Every path is relative, so that the checkout may lie in a folder with spaces in its name.
STAMPS := _build/stamps
BIN := .venv/bin
PYTHON := $(BIN)/python
PPSLAB := $(BIN)/ppslab

# nft, tc and sysctl live where a plain user's PATH does not look.
export PATH := $(PATH):/usr/local/sbin:/usr/sbin:/sbin
# The Python that is here, if it will do; uv fetches one only where there is none.
export UV_PYTHON_PREFERENCE := system
# The guest of the vm backend sees this environment read-only: what is not compiled now,
# it would compile again at every start, under emulation.
export UV_COMPILE_BYTECODE := 1

## help: list the targets
.PHONY: help
help:
	@echo 'ppslab: packets per second, and why'
	@echo
	@sed -n 's/^## \([a-z]*\): \(.*\)/\1\t\2/p' Makefile \
		| while IFS=$$'\t' read -r target text; do printf '  make %-10s %s\n' "$$target" "$$text"; done
ifneq ($(shell uname -s),Linux)
	@echo
	@echo 'To measure, use WSL2 or a Linux VM (see README.md). make site and make serve work here.'
endif

# --- set-up ---------------------------------------------------------------------------------

## setup: bring all that measuring needs: packages, Python, ppstraffic, the BPF programs
.PHONY: setup
setup: linux $(STAMPS)/system-measure $(STAMPS)/traffic .venv/.synced bpf

.PHONY: linux
linux:
ifneq ($(shell uname -s),Linux)
	@echo 'This needs Linux: use WSL2 or a Linux VM (see README.md). make site works here.' >&2; exit 3
endif

$(STAMPS)/system-%: scripts/system-packages scripts/system-packages.txt
	@scripts/system-packages $*
	@mkdir -p $(@D) && touch $@

$(STAMPS)/uv: scripts/get-uv scripts/uv.txt | $(STAMPS)/system-python
	@scripts/get-uv _build/uv
	@mkdir -p $(@D) && touch $@

# The stamp lies in the environment, so that it goes when the environment goes.
.venv/.synced: pyproject.toml uv.lock | $(STAMPS)/uv
	@echo 'Python environment: uv sync --locked ...'
	@_build/uv/bin/uv sync --locked --quiet </dev/null
	@touch $@

TRAFFIC_SOURCES := $(wildcard traffic/Makefile traffic/*.c traffic/*.h traffic/*/*.c traffic/*/*.h)
$(STAMPS)/traffic: $(TRAFFIC_SOURCES) | $(STAMPS)/system-build
	@$(if $(wildcard traffic/Makefile),$(MAKE) --no-print-directory -C traffic)
	@mkdir -p $(@D) && touch $@

BPF_SOURCES := $(wildcard images/linux-router/bpf/*.bpf.c)
BPF_OBJECTS := $(BPF_SOURCES:images/linux-router/bpf/%.bpf.c=_build/bpf/%.o)
.PHONY: bpf
bpf: $(BPF_OBJECTS)

# -g: the BTF that the kernel's verifier wants. Debian keeps asm/types.h in the folder of the
# architecture, where clang does not look when the target is bpf.
_build/bpf/%.o: images/linux-router/bpf/%.bpf.c $(wildcard images/linux-router/bpf/*.h) \
		| $(STAMPS)/system-build
	@echo 'BPF: $<'
	@mkdir -p $(@D)
	@clang -O2 -g -Wall -Wextra -Werror -target bpf -isystem /usr/include/$(shell uname -m)-linux-gnu \
		-c $< -o $@

# --- testing --------------------------------------------------------------------------------

# make test takes well under 40 minutes on two cores; at 60 something hangs.
TEST_LIMIT := 60m

## test: run every test, the notebooks and the browser's among them
.PHONY: test
test: setup $(STAMPS)/system-test
	@timeout --foreground --signal=INT --kill-after=60s $(TEST_LIMIT) \
		$(PYTHON) -m pytest --nbval --durations=10 tests $(wildcard notebooks) || { \
		status=$$?; \
		test $$status -ne 124 || echo 'make test: stopped after $(TEST_LIMIT)' >&2; \
		exit $$status; }

SHELL_SCRIPTS = $(shell git ls-files -co --exclude-standard -- .ci scripts \
	| while read -r file; do head -n 1 "$$file" | grep -q '^\#!.*sh' && echo "$$file"; done)
C_SOURCES = $(shell git ls-files -co --exclude-standard -- 'traffic/*.[ch]' 'images/*.[ch]')
PYTHON_SOURCES = src tests

## lint: check Python, YAML, spelling, shell, RouterOS and C, changing nothing
.PHONY: lint
lint: .venv/.synced $(STAMPS)/system-lint
	$(BIN)/ruff check $(PYTHON_SOURCES)
	$(BIN)/ruff format --check $(PYTHON_SOURCES)
	$(BIN)/mypy --strict src

# --- tidying --------------------------------------------------------------------------------

## clean: remove what was built; recorded runs and caches stay
.PHONY: clean
clean:
	rm -rf _build

## distclean: clean, and remove the Python environment too
.PHONY: distclean
distclean: clean
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
