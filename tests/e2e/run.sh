#!/usr/bin/env bash
# Tries the packaged extension (client-vscode/milepost.vsix) in a real workbench. Arguments: `-t NAME` runs only what is named so.
set -euo pipefail
cd "$(dirname "$0")"

root=$(bash install.sh "${MILEPOST_E2E_OLD:+--old}")
export PATH="$root/node24/bin:$PATH"
export MILEPOST_E2E_ROOT=$root
export MILEPOST_BENCH_CACHE=${MILEPOST_BENCH_CACHE:-$root/bench}
export MILEPOST_E2E_ARTIFACTS=${MILEPOST_E2E_ARTIFACTS:-$PWD/../../.cache/e2e}
mkdir -p "$MILEPOST_E2E_ARTIFACTS" "$MILEPOST_BENCH_CACHE"

python=${MILEPOST_PYTHON:-$PWD/../../.venv/bin/python}
export MILEPOST_PYTHON=$python
"$python" make_files.py "$root/files"

if [ ! -d node_modules ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --no-audit --no-fund --loglevel=error
fi
pattern=()
if [ "${1:-}" = -t ]; then pattern=(--test-name-pattern "$2"); fi
exec node --test-reporter=spec "${pattern[@]}" main.ts
