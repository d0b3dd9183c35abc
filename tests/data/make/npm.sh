#!/usr/bin/env bash
# `npm test` that fails. Usage: npm.sh OUTPUT.log
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
output=$(realpath -m "$1")
folder=/tmp/capture-npm
rm -rf "$folder" && cp -r "$here/npm" "$folder"
cd "$folder"
HOME=$folder npm_config_cache=$folder/cache npm_config_update_notifier=false npm test >"$output" 2>&1 || true
rm -rf "$folder"
