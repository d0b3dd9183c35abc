#!/usr/bin/env bash
# Makes sure that `PYTHON -m venv` works, or says in one sentence what to install. Usage: ensure_venv.sh PYTHON
set -euo pipefail

python=$1

works() {
  command -v "$python" >/dev/null && "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null
}

works && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing python3-venv ..."
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -qq -y --no-install-recommends python3-venv >/dev/null 2>&1 ||
    { apt-get update -qq && apt-get install -qq -y --no-install-recommends python3-venv >/dev/null; }
fi
works && exit 0
echo "Milepost needs Python 3.10 or newer with venv as '$python': on Debian or Ubuntu, apt install python3-venv" >&2
exit 1
