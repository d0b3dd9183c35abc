#!/usr/bin/env bash
# A C++ program that does not build (make + g++: template errors, an unknown member, an undefined reference), then one that
# AddressSanitizer stops. Usage: cpp.sh BUILD.log SANITIZER.log
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath -m "$1")
sanitizer=$(realpath -m "$2")
folder=/tmp/capture-cpp
rm -rf "$folder" && cp -r "$here/cpp" "$folder"
cd "$folder"
LC_ALL=C.UTF-8 make -k all >"$build" 2>&1 || true
LC_ALL=C.UTF-8 make asan >/dev/null 2>&1
ASAN_OPTIONS=abort_on_error=0 ./asan >"$sanitizer" 2>&1 || true
rm -rf "$folder"
