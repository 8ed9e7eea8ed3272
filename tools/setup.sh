#!/bin/sh
# Makes .venv what requirements.lock says. ./run, ./test and the Makefile begin with it; when nothing
# has changed it is done at once. Speaks on stderr alone: the output of what follows stays clean.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

say() { echo "misdeal: $*" >&2; }

# What .venv is made of and made for; the same again means that there is nothing to do.
state() { { pwd -P; readlink -f .venv/bin/python; cat pyproject.toml requirements.lock; } | sha256sum; }
is_ready() { [ -x .venv/bin/misdeal ] && [ "$(cat .venv/state 2>/dev/null)" = "$(state)" ]; }

# The Debian packages that are wanting. opencv-python does not load without libGL and libgthread.
wanting() {
  "$python" - "${python##*/}-venv" <<'END'
import ctypes
import importlib.util
import sys

if not all(map(importlib.util.find_spec, ("ensurepip", "venv"))):
    print(sys.argv[1])
for library, package in (("libGL.so.1", "libgl1"), ("libgthread-2.0.so.0", "libglib2.0-0")):
    try:
        ctypes.CDLL(library)
    except OSError:
        print(package)
END
}

install_packages() {
  if [ "$(id -u)" != 0 ]; then
    say "some system packages are missing; paste the next line, then start again"
    echo "sudo apt-get update && sudo apt-get install -y --no-install-recommends $*" >&2
    exit 1
  fi
  say "installing the system packages $* (up to a minute)"
  export DEBIAN_FRONTEND=noninteractive
  apt-get -qq update </dev/null >&2 || say "not every package list could be renewed; going on"
  told=$(apt-get -qq install -y --no-install-recommends "$@" </dev/null 2>&1) || {
    echo "$told" >&2
    exit 1
  }
}

# A .venv of another place or of another Python is of no use.
is_usable() {
  .venv/bin/python -m pip --version >/dev/null 2>&1 && grep -qF "$(pwd -P)/.venv/bin/" .venv/bin/pip
}

pip() { .venv/bin/python -m pip --quiet --quiet --disable-pip-version-check --no-input "$@" >&2; }

is_ready && exit 0
exec 9<tools/setup.sh
flock 9  # of two starts at once, one sets up and the other waits
is_ready && exit 0

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  say "Python 3.11 or newer is needed, and $python is" \
    "$("$python" --version 2>/dev/null || echo missing); PYTHON=/path/to/python3.x names another"
  exit 1
fi
packages=$(wanting)
# shellcheck disable=SC2086  # one word for each package
[ -z "$packages" ] || install_packages $packages

say "setting up .venv with $("$python" --version) (once; a minute or two)"
is_usable || "$python" -m venv --clear .venv
pip install --require-hashes --only-binary :all: -r requirements.lock
pip install --no-deps --no-index --no-build-isolation --editable .
state >.venv/state
