/** Whether a path of the case is named by a file, a folder, or a pattern in which `*` stands for any run of characters but `/`. */
export function matchesPath(pattern: string, path: string): boolean {
  const clean = pattern.replace(/^\.\//, "").replace(/\/+$/, "");
  if (clean === "" || clean === ".") return true;
  if (!clean.includes("*")) return path === clean || path.startsWith(`${clean}/`);
  return matchesParts(clean.split("/"), path.split("/"));
}

function matchesParts(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.length > path.length) return false;
  return pattern.every((part, i) => matchesName(part, path[i]!));
}

/** Greedy matching with one point to fall back to: linear in practice, never exponential. */
function matchesName(pattern: string, name: string): boolean {
  let p = 0;
  let n = 0;
  let star = -1;
  let from = 0;
  while (n < name.length) {
    if (pattern[p] === "*") {
      star = p++;
      from = n;
    } else if (p < pattern.length && pattern[p] === name[n]) {
      p++;
      n++;
    } else if (star >= 0) {
      p = star + 1;
      n = ++from;
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}
