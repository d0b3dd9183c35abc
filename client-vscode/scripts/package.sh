#!/usr/bin/env bash
# Packages the extension with the server's wheel inside: client-vscode/milepost.vsix.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${MILEPOST_PYTHON:-../.venv/bin/python}
major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\).*/\1/p')
if [ "${major:-0}" -lt 20 ] || ! command -v npm >/dev/null; then
  PATH="$(bash ../tests/e2e/install.sh --node):$PATH"
  export PATH
fi

rm -rf server
mkdir server
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir server ..

if [ ! -d node_modules ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --no-audit --no-fund --loglevel=error
fi
npm run --silent check
npm run --silent build
npx vsce package --no-dependencies --skip-license --allow-missing-repository --no-rewrite-relative-links --out milepost.vsix >.vsce.log || { cat .vsce.log >&2; exit 1; }
rm .vsce.log
echo "client-vscode/milepost.vsix: $(du -h milepost.vsix | cut -f1), with $(basename server/*.whl)"
