#!/usr/bin/env bash
# A Rust program that panics in a thread, with a backtrace. Usage: rust.sh OUTPUT.log
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
output=$(realpath -m "$1")
folder=/tmp/capture-rust
rm -rf "$folder" && cp -r "$here/rust" "$folder"
cd "$folder"
cargo build --quiet --offline
RUST_BACKTRACE=1 ./target/debug/ledger >"$output" 2>&1 || true
rm -rf "$folder"
