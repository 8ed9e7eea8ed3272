# Daily work. `make check` is what CI asks for; its tests run once, last, and under coverage.
bin := .venv/bin

.PHONY: check format lint types imports test bench docs fix lock setup

check: format lint types imports test

format: setup
	$(bin)/ruff format --check .

lint: setup
	$(bin)/ruff check .

types: setup
	$(bin)/mypy

imports: setup
	$(bin)/lint-imports

test: setup
	./test -n 2 --cov

bench: setup
	$(bin)/python -m misdeal.bench

docs: setup  ## writes the pages that are made from the code
	$(bin)/python -m misdeal.rulepages docs
	$(bin)/python -m misdeal.reference > docs/table-file.md

fix: setup  ## mends what can be mended without thinking
	$(bin)/ruff check --fix .
	$(bin)/ruff format .

lock:  ## writes requirements.lock anew from the ranges in pyproject.toml; needs uv
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --upgrade \
	  --generate-hashes --no-emit-index-url --no-emit-find-links --only-binary :all: \
	  --no-annotate --custom-compile-command "make lock" --quiet --output-file requirements.lock

setup:
	@tools/setup.sh
