#!/bin/sh
# Ours beside public libraries for the same readers: they come into an environment of their own,
# which is thrown away. Arguments go to misdeal.bench.peers.
set -eu
cd "$(dirname "$0")/../.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
.venv/bin/python -m venv "$place"
"$place/bin/python" -m pip --quiet --disable-pip-version-check --no-input \
  install --requirement tools/peers/requirements.txt >&2
.venv/bin/python -m misdeal.bench.peers --python "$place/bin/python" --players tools/peers "$@"
