#!/usr/bin/env bash
# The hook of pre-commit: each file of expectations is read as `hairpin expect` reads it. What is wrong is said with file and line.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
read -r -a hairpin <<<"${HAIRPIN:-$here/../../hairpin}"
failed=0
for file in "$@"; do
  said=$("${hairpin[@]}" expect "./$file" 2>&1 >/dev/null) || { printf '%s: %s\n' "$file" "${said//hairpin: /}"; failed=1; }
done
exit "$failed"
