#!/usr/bin/env bash
# The hook of pre-commit: each case.yaml is read as `hairpin check` reads it, with its folder. What is wrong is said with file and line.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
read -r -a hairpin <<<"${HAIRPIN:-$here/../../hairpin}"
failed=0
for file in "$@"; do
  folder=$(dirname -- "./$file")
  said=$("${hairpin[@]}" check "$folder" 2>&1 >/dev/null)
  # 1 is about the dumps beside it, which the hook does not judge.
  if [ $? -ge 64 ]; then
    printf '%s: %s\n' "$file" "${said//hairpin: /}"
    failed=1
  fi
done
exit "$failed"
