#!/bin/sh
# Installs Toposmith into .venv beside this file, from what pins.txt or pins-test.txt names, by digest.
#   sh install.sh          to use it
#   sh install.sh test     to work on it: editable, with what its tests need
set -eu
cd "$(dirname "$0")"

python=$(command -v python3 || command -v python) || { echo "Python 3.11 or newer is needed" >&2; exit 1; }
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Python 3.11 or newer is needed, found $("$python" --version 2>&1)" >&2
    exit 1
}
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    # Debian keeps venv in a package of its own
    as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
    as_root apt-get update -qq
    as_root apt-get install -y -qq python3-venv
fi
[ -x .venv/bin/python ] || "$python" -m venv .venv
pins=pins.txt
if [ "${1:-}" = test ]; then
    pins=pins-test.txt
    set -- --editable .
else
    set -- .
fi
echo "installing into $PWD/.venv (about a minute) ..." >&2
pip() { .venv/bin/python -m pip install --quiet --disable-pip-version-check "$@"; }
pip --require-hashes --requirement "$pins"
pip --no-deps --no-build-isolation "$@" # the build tools are among what is pinned
# pip compiles what it copies; what stays here is compiled once, not by every process that starts
[ "$1" = . ] || .venv/bin/python -m compileall -q toposmith tests
echo "installed; next: $([ "$1" = . ] && echo .venv/bin/toposmith || echo sh check.sh)" >&2
