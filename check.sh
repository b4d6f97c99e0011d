#!/bin/sh
# Everything that must hold before a change lands: lint, types, import contracts, tests.
# Wants `sh install.sh test` first; takes further arguments for pytest.
set -eu
cd "$(dirname "$0")"
PATH="$PWD/.venv/bin:$PATH"
ruff check .
ruff format --check --quiet .
mypy
lint-imports
exec python -m pytest --numprocesses auto --quiet "$@"
