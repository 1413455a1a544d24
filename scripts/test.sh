#!/usr/bin/env bash
# Installs all that the tests need and runs them; ends with the line `N passed, N failed`.
set -u
cd "$(dirname "$0")/.."
export FORCE_COLOR=0

say() { printf '== %s\n' "$*" >&2; }
fail() { printf '%s\n' "$*" >&2; echo "0 passed, 1 failed"; exit 1; }

say "dependencies (npm ci)"
npm ci --no-audit --no-fund --loglevel=error >&2 || fail "npm ci failed"

# The tests that ask a real kernel need the tools whose output Hairpin reads. Without root they are skipped, loudly.
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  missing=""
  for pair in iptables:iptables ipset:ipset ipvsadm:ipvsadm conntrack:conntrack tcpdump:tcpdump nft:nftables ip:iproute2 brctl:bridge-utils ifconfig:net-tools sysctl:procps; do
    command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair##*:}"
  done
  if [ -n "$missing" ]; then
    say "tools:$missing"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $missing; } >&2 || say "could not install$missing: the tests that need them will be skipped"
  fi
fi

say "types"; npx tsc -b >&2 || fail "tsc found errors"
say "lint"; npx biome check . >&2 || fail "biome found errors"
say "build"; npm run --silent build >&2 || fail "the build failed"
say "tests"
report=$(mktemp)
trap 'rm -f "$report"' EXIT
npx vitest run --reporter=default --reporter=json --outputFile.json="$report" >&2
status=$?
node scripts/summary.mjs "$report"
exit $status
