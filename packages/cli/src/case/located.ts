import { existsSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Located } from "../report/sarif.ts";

/** The root of the repository a path lies in; where there is none, the folder one is in. */
function rootOf(path: string): string {
  for (let at = resolve(path); ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return process.cwd();
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Files of a case by where they lie in their repository. What lies in a bundle is found at the bundle. */
export function locatedIn(paths: readonly string[]): Located {
  const [first = "."] = paths;
  const root = rootOf(first);
  const uri = (path: string): string => relative(root, resolve(path)).split(sep).join("/");
  const places = paths.map((p) => (isFolder(p) ? p : dirname(p)));
  return (file) => {
    const found = [...places.map((p) => join(p, file)), file].find((p) => existsSync(p));
    return found === undefined ? { uri: uri(first), whole: false } : { uri: uri(found), whole: true };
  };
}
