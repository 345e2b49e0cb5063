#!/usr/bin/env bash
# Tries the server with Microsoft's own protocol packages, which it installs first. Usage: run.sh
# Needs npm and Node 20, and a Python with gradflow-lsp and torch: the one in PYTHON, else python3.
set -euo pipefail

PYTHON=$(realpath --no-symlinks "$(command -v "${PYTHON:-python3}")")
export PYTHON
cd "$(dirname "$0")"
npm ci --no-audit --no-fund --no-update-notifier
exec node --test --test-timeout=120000
