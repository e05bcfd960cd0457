# Thin names for commands that also run by hand. `make help` lists them.
# Set-up is in tools/bootstrap.py: .venv and node_modules, each made once and kept up to date.

.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
PORT ?= 8000
WORKERS = --dist=loadfile --no-loadscope-reorder -rfEs
PYTEST = pytest -n 2 $(WORKERS)
# Tests of grading wait for processes of their own: a third worker fills the two cores.
GRADING = pytest -n 3 $(WORKERS)
# The package's tests check the shapes of each call (pyproject.toml); not those that make very many
# calls, which would take two or three times as long, nor those of the course.
FREE = --jaxtyping-packages=
MANY = $(wildcard $(foreach name,arguments byte_pairs costs_decoder equivalence exact flash \
	flash_function flash_kernel generate_process generation generation_dynamic generation_fast \
	generation_fingerprint generation_speculative hints lab_* models_lengths modes \
	multihead_options observing one_page serve_sim serving_scheduler serving_server \
	training_interruption,tests/plainformer/test_$(name).py))
# The site is reproducible only if sums are taken in one order: one thread.
export OMP_NUM_THREADS ?= 1
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Images of containers set it. Each of some thousand processes would then compile PyTorch anew.
unexport PYTHONDONTWRITEBYTECODE

ANY_PYTHON := $(shell for p in python3 python3.11 python3.12 python3.13 /usr/bin/python3 python; do \
	$$p -c pass 2>/dev/null && echo $$p && break; done)
ifneq ($(ANY_PYTHON),)
SET_UP = @PYTHON="$(PYTHON)" $(ANY_PYTHON) tools/bootstrap.py
else
SET_UP = @echo "Stopped: no Python runs here. Install Python 3.11 or newer." >&2; exit 1;
endif

.PHONY: help
help:  ## list the targets
	@echo "make TARGET, where TARGET is one of"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile
	@echo "Each sets up what it needs: .venv (Python 3.11+), and node_modules (Node 20+) for the site."

.PHONY: book
book:  ## build the site into _build/html
	$(SET_UP) python node
	$(if $(SYNCED),,plaincourse sync --check)
	jupyter-book build . -W --keep-going -n
	@echo "Made: the site, in _build/html. Read it with \`make serve\` (http://127.0.0.1:$(PORT)/)."

.PHONY: epub
epub:  ## write the course as one file for e-readers, _build/epub/plainformer.epub
	$(SET_UP) python node
	$(if $(SYNCED),,plaincourse sync --check)
	jupyter-book build . --builder custom --custom-builder epub -W --keep-going -n
	@echo "Made: _build/epub/plainformer.epub, for an e-reader or any program that opens EPUB."

.PHONY: serve
serve: book  ## build the site and serve it on this machine
	@echo "Serving http://127.0.0.1:$(PORT)/ until Ctrl-C; another port: make serve PORT=8080"
	@python -m http.server $(PORT) --bind 127.0.0.1 --directory _build/html

.PHONY: lab
lab:  ## open your own copy of the notebooks, work/, in JupyterLab; OPTIONS="--port=9999" goes to it
	$(SET_UP) python
	plaincourse lab -- $(OPTIONS)

.PHONY: test
test:  ## run every test, then every notebook of the book, strictly
	$(SET_UP) python node-if-there
	$(PYTEST) tests/plainformer src/plainformer $(MANY:%=--ignore=%)
	$(PYTEST) $(FREE) $(MANY)
	$(GRADING) $(FREE) tests src/plaincourse --ignore=tests/plainformer
	pytest -n 2 --dist=loadfile --nbval book/
	@echo "Passed: the tests, and each printed output of the book was derived again."

.PHONY: test-slow
test-slow:  ## run the tests that take longer: real processes, training to the floor, every tile
	$(SET_UP) python node-if-there
	$(PYTEST) -m slow tests/plainformer
	$(GRADING) $(FREE) -m slow tests --ignore=tests/plainformer

# By branches; pyproject.toml says what is left out. Apart from `make test`, whose tests of the package
# it makes twice as slow. The course's own tests run without: coverage and the checker's time limit
# would both trace the same thread.
.PHONY: coverage
coverage:  ## say which lines of src/plainformer no test runs; fewer than 95 % is an error
	$(SET_UP) python
	$(PYTEST) tests/plainformer src/plainformer --cov --cov-report=term:skip-covered --cov-fail-under=95

.PHONY: bench
bench:  ## time the package beside its peers; BENCH="C1 C5" takes some, ROUNDS=15 sets the rounds
	$(SET_UP) python
	python -m benchmarks $(BENCH) --rounds $(or $(ROUNDS),15)
	@plaincourse configure >/dev/null  # README and book show what was measured
	@python -m tools.drawings beside_peers

.PHONY: bench-grading
bench-grading:  ## time grading beside stock nbgrader; ROUNDS=5 sets the rounds
	$(SET_UP) python
	python -m benchmarks.grading --rounds $(or $(ROUNDS),5)
	@plaincourse configure >/dev/null
	@python -m tools.drawings beside_peers

.PHONY: check
check:  ## say what is not formatted, linted, typed or in sync, and which texts are above their record
	$(SET_UP) python
	@failed=; for step in "ruff format --check ." "ruff check ." "mypy" \
		"plaincourse configure --check" "plaincourse sync --check" \
		"python -m tools.english --check" "python -m tools.budget --check"; do \
		echo "$$step"; $$step || failed="$$failed\n  $$step"; done; \
	test -z "$$failed" || { printf "Failed:$$failed\n" >&2; exit 1; }
	@echo "Passed: format, lint, types, settings, notebooks, English, budgets."

.PHONY: format
format:  ## format and mend what ruff can mend
	$(SET_UP) python
	ruff check --fix .
	ruff format .

.PHONY: sync
sync:  ## text to notebooks: execute what changed, release the exercises
	$(SET_UP) python
	plaincourse sync
	@plaincourse configure >/dev/null  # the README lists what there is now

# What an older processor does: no AVX-512 in PyTorch's own kernels, in MKL, oneDNN and OpenBLAS.
AVX2 = ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=AVX2 ONEDNN_MAX_CPU_ISA=AVX2 \
	OPENBLAS_CORETYPE=Haswell
DEFAULT = ATEN_CPU_CAPABILITY=default MKL_ENABLE_INSTRUCTIONS=SSE4_2 ONEDNN_MAX_CPU_ISA=SSE41 \
	OPENBLAS_CORETYPE=Nehalem
OLDER = $(if $(PROCESSOR),$(if $(filter avx2,$(PROCESSOR)),$(AVX2),$(DEFAULT)))

.PHONY: notebooks
notebooks:  ## run the book, compare outputs; PROCESSOR=avx2 or default, BUTTERFLY=3, THREADS=2 round otherwise; PAGES names some
	$(SET_UP) python
	$(OLDER) $(if $(BUTTERFLY),BUTTERFLY=$(BUTTERFLY)) $(if $(THREADS),THREADS=$(THREADS)) \
		pytest -n $(if $(THREADS),1,2) --dist=loadfile --nbval $(or $(PAGES),book/)

.PHONY: notebooks-gpu
notebooks-gpu:  ## run the notebooks of the book on a CUDA device
	$(SET_UP) python gpu
	PLAINFORMER_DEVICE=cuda pytest --nbval-lax book/

.PHONY: exercises
exercises:  ## prove the graders: each mistake, each alternative, each attack, through nbgrader
	$(SET_UP) python
	$(GRADING) $(FREE) -m "slow or not slow" tests/attacks tests/exercises/test_capstone.py \
		tests/exercises/test_replays.py
	$(GRADING) $(FREE) tests/exercises tests/plaincourse src/plaincourse \
		--ignore=tests/exercises/test_replays.py --ignore=tests/exercises/test_capstone.py

.PHONY: site-test
site-test: book  ## check the site and every notebook in Chromium: links, axe, reflow, formulas
	$(SET_UP) chromium
	node --test --test-concurrency=2 tests/notebooks/*.test.mjs tests/site/*.test.mjs tests/widgets/*.test.mjs

.PHONY: site-speed
site-speed: book  ## measure the site as on a telephone, with Lighthouse; RUNS=5 takes more runs
	$(SET_UP) chromium
	node tools/speed.mjs

.PHONY: drawings
drawings:  ## draw book/_static/drawings from tools/drawings
	$(SET_UP) python
	python -m tools.drawings

.PHONY: stills
stills: book  ## take the still picture of each widget, for notebooks
	$(SET_UP) chromium
	node tools/stills.mjs

.PHONY: training-kernel
training-kernel:  ## compile the kernel of chapter 09's training lab into the page's scripts
	$(SET_UP) node
	node tools/training_lab/build.mjs

.PHONY: checkpoint
checkpoint:  ## train the small model that ships with the package, and what a picture shows of it
	$(SET_UP) python
	python -m plainformer.lab.storyteller
	python tools/head_detective.py

.PHONY: lock
lock:  ## write requirements.lock; UPGRADE=all or UPGRADE="torch numpy" takes newer versions
	$(SET_UP) python
	python tools/lock.py $(if $(filter all,$(UPGRADE)),--upgrade,$(UPGRADE))

.PHONY: clean
clean:  ## remove what was built and cached
	rm -rf _build build .pytest_cache .hypothesis .mypy_cache .ruff_cache book/_static/vendor
	@echo "Kept: .venv and node_modules (remove them by hand: rm -r .venv node_modules), and work."
