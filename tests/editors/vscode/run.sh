#!/usr/bin/env bash
# Drives the extension in a real VS Code against the real server, and keeps pictures of what a user sees in OUT.
# Usage: run.sh OUT [IMAGES]. IMAGES is where the pictures of the extension's README go.
#
# Needs npm, Chromium (apt-get install chromium), and a Python with gradflow-lsp and torch: the one in PYTHON, else
# python3. VS Code is installed once, below TOOLS.
set -euo pipefail

out=${1:?usage: run.sh OUT [IMAGES]}
images=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
extension=$here/../../../client-config/vscode
export TOOLS=${TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/gradflow-vscode}
PYTHON=$(realpath --no-symlinks "$(command -v "${PYTHON:-python3}")")
export PYTHON
PATH=$(dirname "$PYTHON"):$PATH

mkdir -p "$out"
out=$(cd "$out" && pwd)
"$here/install.sh" "$TOOLS"
(cd "$here" && npm ci --no-update-notifier)
(cd "$extension" && npm ci --no-update-notifier && npm run package)
export VSIX=$extension/gradflow.vsix

packed=$(mktemp -d)
trap 'rm -rf "$packed"' EXIT
export PYTHON_VSIX=$packed/python.vsix
vsce=(../../../../client-config/vscode/node_modules/.bin/vsce package --no-dependencies --allow-missing-repository)
(cd "$here/selected-python" && "${vsce[@]}" --skip-license --out "$PYTHON_VSIX")
"$PYTHON" -m venv --without-pip "$packed/bare"
export PYTHON_WITHOUT_TORCH=$packed/bare/bin/python

node "$here/drive.mjs" "$out"
if [ -n "$images" ]; then
    mkdir -p "$images"
    cp "$out"/{findings,hover,problems,progress}.png "$images/"
fi
