#!/usr/bin/env bash
# What a pipeline asks: every snapshot is checked and diagnosed, one SARIF file and one JUnit file each. Ends with 1 if a flow does not
# work, or is not known to (HAIRPIN_UNDETERMINED=pass lets that be), and with 64 and up where a snapshot cannot be read.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
read -r -a hairpin <<<"${HAIRPIN:-$here/../../hairpin}"
out=${HAIRPIN_SARIF:-hairpin-sarif}
mkdir -p "$out" || exit 74
worst=0
# What is not known counts as the pipeline wants it.
decided() {
  local status=$1
  [ "$status" != 2 ] || { [ "${HAIRPIN_UNDETERMINED:-fail}" = pass ] && status=0 || status=1; }
  note "$status"
}
note() { [ "$1" -le "$worst" ] || worst=$1; }

question=()
[ -z "${HAIRPIN_FROM:-}" ] || question+=(--from "$HAIRPIN_FROM")
[ -z "${HAIRPIN_TO:-}" ] || question+=(--to "$HAIRPIN_TO")

ask() {
  local case=$1 name status
  name=$(printf %s "$case" | tr -c 'A-Za-z0-9._-' _)
  printf '== %s\n' "$case"
  "${hairpin[@]}" check "$case"
  status=$?
  # Lines that are not understood do not end a pipeline; a snapshot that cannot be read does.
  [ "$status" -lt 64 ] || { note "$status"; return; }
  # Nor is one in which nothing was recognised known to work, whatever becomes of what is undetermined.
  [ "$status" != 2 ] || { printf '%s: nothing was recognised\n' "$case" >&2; note 65; return; }
  # Without a question, in its case.yaml or here, there is nothing to diagnose.
  [ "${HAIRPIN_DIAGNOSE:-true}" != true ] || "${hairpin[@]}" diagnose "$case" "${question[@]}" --sarif "$out/$name.sarif" --junit "$out/$name.xml"
  decided $?
  if [ "${HAIRPIN_SWEEP:-false}" = true ]; then
    "${hairpin[@]}" sweep "$case" --sarif "$out/$name.sweep.sarif" --junit "$out/$name.sweep.xml"
    decided $?
  fi
  if [ -n "${HAIRPIN_EXPECT:-}" ]; then
    "${hairpin[@]}" expect "$HAIRPIN_EXPECT" "$case" --sarif "$out/$name.expect.sarif" --junit "$out/$name.expect.xml"
    decided $?
  fi
}

if [ "${HAIRPIN_DIAGNOSE:-true}" != true ] && [ "${HAIRPIN_SWEEP:-false}" != true ] && [ -z "${HAIRPIN_EXPECT:-}" ]; then
  echo "nothing to ask: diagnose, sweep or expect" >&2
  exit 64
fi

asked=0
while IFS= read -r case; do
  [ -n "$case" ] || continue
  case $case in -*) case=./$case ;; esac
  ask "$case"
  asked=$((asked + 1))
done <<<"${HAIRPIN_SNAPSHOTS:-}"

if [ "${HAIRPIN_CLUSTER:-false}" = true ]; then
  objects=$(mktemp -d) || exit 74
  trap 'rm -rf "$objects"' EXIT
  kubectl get services,endpointslices,nodes,networkpolicies,pods -A -o yaml >"$objects/kubectl-get.yaml" || exit 69
  ask "$objects"
  asked=$((asked + 1))
fi
[ "$asked" -gt 0 ] || { echo "nothing to ask: name snapshots, or a cluster" >&2; exit 64; }
exit "$worst"
