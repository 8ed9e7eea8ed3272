# Daily work. `make check` is what CI asks for; its tests run once, last, and under coverage.
bin := .venv/bin

.PHONY: check format lint types imports test bench fuzz secrecy soak docs fix lock setup bench-eyes train

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

bench: bench-faults  ## what this machine does; some minutes
	$(bin)/python -m misdeal.bench --scripts tests/scripts

bench-faults: setup  ## writes docs/fault-to-flag.md anew
	$(bin)/python -m tests.engine.fault_to_flag_table docs/fault-to-flag.md

bench-hands: setup  ## 100,000 clean hands of all games, which must give no ruling
	$(bin)/python -m tests.engine.clean_hands_bench

bench-peers: setup  ## ours beside public libraries, which are installed elsewhere and thrown away
	tools/peers/run.sh

bench-pages: setup  ## from a statement to the pages that show it, some of which never read
	$(bin)/python -m misdeal.bench.pages

bench-video: setup  ## what the camera tells of filmed hands, clean and with each of its faults
	$(bin)/python -m misdeal.bench.video

bench-backs: setup  ## how small a mark on a card's back is found; an hour or more
	$(bin)/python -m misdeal.bench.backs

bench-tables: setup  ## how many full tables this machine carries
	$(bin)/python -m misdeal.bench.tables

secrecy: setup  ## 1,000 hands, and all that the page is sent of them searched for face-down cards
	$(bin)/python -m tests.misdeal.secrecy 1000

bench-eyes: setup  ## what the eye reads in photographs, where they are there, and what a look costs
	$(bin)/python -m misdeal.bench.eyes --photographs ../shared/vision/photos

fuzz: setup  ## the bridge on any bytes, any cuts, any faults: longer than `make test` does
	./test -n 2 --hypothesis-profile=fuzz tests/firmware_bridge

soak: setup  ## a million frames with faults of every kind, 500 readers pulled out: some minutes
	$(bin)/python -m tests.firmware_bridge.soak

train:  ## the networks of vision/models anew, in an environment of its own; an hour or two
	tools/train.sh

docs: setup  ## writes the pages that are made from the code
	$(bin)/python -m misdeal.rulepages docs
	$(bin)/python -m misdeal.reference > docs/table-file.md

fix: setup  ## mends what can be mended without thinking
	$(bin)/ruff check --fix .
	$(bin)/ruff format .

locks := uv pip compile --universal --python-version 3.11 --upgrade --generate-hashes \
  --no-emit-index-url --no-emit-find-links --only-binary :all: --no-annotate \
  --custom-compile-command "make lock" --quiet --output-file

lock:  ## writes the lock files anew from the ranges in pyproject.toml; needs uv
	$(locks) requirements.lock pyproject.toml --group dev
	$(locks) requirements-browser.lock --group browser -c requirements.lock

setup:
	@tools/setup.sh
