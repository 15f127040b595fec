#!/usr/bin/env bash
# Runs the README's installation (`npm ci`) as on a new machine: an empty home and cache, no npm settings, and only
# Node and npm on the PATH (no compiler, Python or git). One attempt. Prints npm's output; fails if npm fails or
# warns.
#
# NODE_DIR names another folder with `node`, NPM_CLI another `npm-cli.js`: to try other versions.
set -euo pipefail
cd "$(dirname "$0")/.."

node=${NODE_DIR:+$NODE_DIR/node}
node=$(readlink -f "${node:-$(command -v node)}")
npm=${NPM_CLI:-$(readlink -f "$(command -v npm)")}

bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT
mkdir "$bare/bin" "$bare/home"
ln -s "$node" "$bare/bin/node"
ln -s "$(command -v sh)" "$bare/bin/sh"

# Keeps the proxy settings, and no other environment variables.
environment=(HOME="$bare/home" PATH="$bare/bin" TMPDIR="${TMPDIR:-/tmp}")
for name in HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy NODE_EXTRA_CA_CERTS SSL_CERT_FILE; do
  [ -z "${!name:-}" ] || environment+=("$name=${!name}")
done

env -i "${environment[@]}" "$bare/bin/node" "$npm" ci 2>&1 | tee "$bare/output"
if grep -qiE '^npm (warn|error)' "$bare/output"; then
  echo 'npm ci warned, and a newcomer would have to understand it' >&2
  exit 1
fi
