#!/bin/sh
# Everything that must hold before a change lands: lint, types, import contracts, tests.
# Wants `sh install.sh test` first; takes further arguments for pytest.
set -eu
cd "$(dirname "$0")"
PATH="$PWD/.venv/bin:$PATH"
export PYTHONDONTWRITEBYTECODE= # what is compiled once serves the next run, too
ruff check .
ruff format --check --quiet .
# types take one processor: they are checked beside the tests, and told at the end where they fail
told=$(mktemp)
trap 'rm -f "$told"' EXIT
{ mypy && lint-imports; } >"$told" 2>&1 &
# each worker begins with a half of its own, so that tests of one file share what they worked out
code=0
python -m pytest --numprocesses auto --dist worksteal --quiet "$@" || code=$?
wait $! || { code=$?; cat "$told"; }
exit "$code"
