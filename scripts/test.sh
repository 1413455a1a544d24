#!/usr/bin/env bash
# Installs all that the tests need and runs them; ends with the line `N passed, N failed`.
set -u
cd "$(dirname "$0")/.."
export FORCE_COLOR=0

scratch=""
trap 'rm -rf $scratch' EXIT

say() { printf '== %s\n' "$*" >&2; }
fail() {
  printf '%s\n' "$*" >&2
  echo "0 passed, 1 failed"
  exit 1
}

say "dependencies (npm ci)"
npm ci --no-audit --no-fund --loglevel=error >&2 || fail "npm ci failed"

# Caches of other runs are not used in CI: what is fetched and made must work from nothing.
if [ -n "${CI:-}" ]; then
  XDG_CACHE_HOME=$(mktemp -d)
  export XDG_CACHE_HOME
  scratch="$scratch $XDG_CACHE_HOME"
fi

# What the tests ask: the tools whose output Hairpin reads, the executor's Python, a VM, a browser, shells. Where all of it can
# be installed a skipped test is a failure; elsewhere tests are skipped, loudly.
strict=""
[ -n "${CI:-}" ] && strict=--strict
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  strict=--strict
  missing=""
  for pair in iptables:iptables ipset:ipset ipvsadm:ipvsadm conntrack:conntrack tcpdump:tcpdump nft:nftables ip:iproute2 brctl:bridge-utils ifconfig:net-tools sysctl:procps busybox:busybox \
    python3:python3 depmod:kmod modprobe:kmod qemu-system-x86_64:qemu-system-x86 chromium:chromium git:git zsh:zsh fish:fish groff:groff-base unshare:util-linux cpio:cpio xz:xz-utils zstd:zstd zip:zip; do
    command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair##*:}"
  done
  # The VM's kernel and programs are taken from packages as well.
  if [ -n "$missing" ] || [ -z "$(apt-cache show linux-image-cloud-amd64 2>/dev/null)" ]; then
    say "tools:$missing"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >&2 ||
      say "could not install$missing"
  fi
fi

say "types"
npx tsc -b >&2 || fail "tsc found errors"
say "lint"
npx biome check . >&2 || fail "biome found errors"
say "build"
npm run --silent build >&2 || fail "the build failed"

reports=$(mktemp -d)
scratch="$scratch $reports"
status=0

say "tests on Node $(node --version)"
npx vitest run --reporter=default --reporter=json --outputFile.json="$reports/here.json" >&2 || status=1
runs=("node $(node --version)=$reports/here.json")

# Other releases of Node, where they can be had: what runs inside Node. A kernel, a VM and a browser do not care for its version.
# On Node 22 the installed package alone is asked.
on_node() {
  release=$1
  shift
  case $(node --version) in v$release.*) return ;; esac
  other=.cache/node$release/node_modules/node/bin/node
  if [ ! -x "$other" ]; then
    say "Node $release"
    npm install --no-save --no-audit --no-fund --loglevel=error --prefix ".cache/node$release" "node@$release" >&2
  fi
  if [ -x "$other" ] && "$other" --version >/dev/null 2>&1; then
    say "tests on Node $("$other" --version)"
    PATH="$PWD/.cache/node$release/node_modules/node/bin:$PATH" "$other" node_modules/vitest/vitest.mjs run "$@" \
      --reporter=default --reporter=json --outputFile.json="$reports/node$release.json" >&2 || status=1
    runs+=("node $("$other" --version)=$reports/node$release.json")
  else
    [ -n "$strict" ] && status=1
    echo "SKIPPED: the run on Node $release, which could not be had"
  fi
}
on_node 22 test/install/package.test.ts
# Long properties of the walk say the same on every Node.
on_node 24 packages test/architecture test/cases/cases.test.ts test/check test/cli test/explain test/install/package.test.ts \
  --exclude 'packages/lab/**' --exclude '**/kernel*.test.ts' --exclude 'test/check/launcher.test.ts' \
  --exclude 'packages/core/src/sweep/**' --exclude 'packages/core/src/compare/**' --exclude '**/mutation.test.ts' --exclude '**/chain-index.test.ts'

node scripts/summary.mjs $strict "${runs[@]}" || status=1
exit $status
