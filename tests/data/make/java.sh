#!/usr/bin/env bash
# Runs java/Warehouse.java (java.util.logging, causes nested three deep, a suppressed exception, a fatal end). Usage: java.sh OUTPUT.log
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d /tmp/capture-java.XXXX)
javac -d "$folder" "$here/java/Warehouse.java"
java -cp "$folder" Warehouse >"$1" 2>&1 || true
rm -rf "$folder"
