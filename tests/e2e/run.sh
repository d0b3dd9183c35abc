#!/usr/bin/env bash
# Tries the packaged extension (client-vscode/milepost.vsix) in a real workbench. Arguments: `-t NAME` runs only what is named so.
set -euo pipefail
cd "$(dirname "$0")"

root=$(bash install.sh --old)
export PATH="$root/node24/bin:$PATH"
export MILEPOST_E2E_ROOT=$root
export MILEPOST_BENCH_CACHE=${MILEPOST_BENCH_CACHE:-$root/bench}
export MILEPOST_E2E_ARTIFACTS=${MILEPOST_E2E_ARTIFACTS:-$PWD/../../.cache/e2e}
mkdir -p "$MILEPOST_E2E_ARTIFACTS" "$MILEPOST_BENCH_CACHE"

python=${MILEPOST_PYTHON:-$PWD/../../.venv/bin/python}
export MILEPOST_PYTHON=$python
# The Python that a user of the extension would have: not the environment of the tests.
MILEPOST_E2E_PYTHON=$("$python" -c 'import sys; print(sys._base_executable)')
export MILEPOST_E2E_PYTHON
"$python" make_files.py "$root/files"

if [ ! -d node_modules ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --no-audit --no-fund --loglevel=error
fi
# The extension's own tests, then those in the workbench.
(cd ../../client-vscode && npm run --silent lint && npm test --silent)
../../client-vscode/node_modules/.bin/tsc -p .
pattern=()
if [ "${1:-}" = -t ]; then pattern=(--test-name-pattern "$2"); fi
exec node --test-reporter=spec "${pattern[@]}" main.ts
