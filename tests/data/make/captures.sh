#!/usr/bin/env bash
# Makes all captures anew: bash captures.sh FOLDER. As root on Debian 12 with postgresql, nginx-light, rsyslog, g++, make,
# openjdk-17-jdk-headless, nodejs, npm, cargo; PYTEST names a Python that has pytest (default: the project's .venv).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(realpath "$1")
environment=$(realpath "${PYTEST:-$here/../../../.venv}")

bash "$here/postgresql.sh" "$out/postgresql.log"
bash "$here/java.sh" "$out/java-util-logging.log"
bash "$here/cpp.sh" "$out/cpp-build.log" "$out/cpp-address-sanitizer.log"
bash "$here/rust.sh" "$out/rust-panic.log"
bash "$here/nginx.sh" "$out/nginx-access.log" "$out/nginx-error.log"
bash "$here/npm.sh" "$out/npm-test.log"
bash "$here/syslog.sh" "$out/syslog.log"

# The rest is run from a folder of its own, so that no path of one machine gets into the captures.
folder=/tmp/capture
rm -rf "$folder" && mkdir -p "$folder"
cp "$here/python_service.py" "$here/node/service.js" "$here/failing_checks.py" "$folder"
ln -s "$environment" "$folder/venv"
cd "$folder"
/usr/bin/python3 python_service.py 2>"$out/python-logging.log" || true
node service.js >"$out/node-service.log" 2>&1 || true
venv/bin/python -m pytest -p no:cacheprovider -p no:asyncio -p no:xdist -c /dev/null --rootdir=. --color=no -v \
  failing_checks.py >"$out/pytest-failures.log" 2>&1 || true
rm -rf "$folder"
