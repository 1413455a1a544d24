import type { BundleKind, FileRole } from "./kind.ts";
import { bundleKinds } from "./registry.ts";

/** A bundle among the files of a case. */
export interface BundleRoot {
  readonly kind: BundleKind;
  /** The folder that holds it, with a slash at its end; empty at the top. */
  readonly folder: string;
}

export interface PlacedFile {
  readonly root: BundleRoot;
  /** Below the bundle's folder. */
  readonly path: string;
  /** Undefined: such a file is not read. */
  readonly role: FileRole | undefined;
}

/** Which bundles lie among the files of a case, and what each file is in them. */
export interface Layout {
  readonly roots: readonly BundleRoot[];
  /** Undefined for files outside of any bundle. */
  readonly place: (path: string) => PlacedFile | undefined;
  /** Whether a file says anything that is read; files outside of bundles always may. */
  readonly isRead: (path: string) => boolean;
}

/** One mark, cut at its slashes. */
interface Mark {
  readonly kind: BundleKind;
  readonly group: number;
  readonly parts: readonly string[];
}

const MARKS: readonly Mark[] = bundleKinds.flatMap((kind) =>
  kind.marks.flatMap((group, i) => group.map((path) => ({ kind, group: i, parts: path.split("/") }))),
);
/** By the file's own name where it is fixed; a case may list very many files. */
const BY_NAME = new Map<string, Mark[]>();
const WILD: Mark[] = [];
for (const mark of MARKS) {
  const name = mark.parts.at(-1)!;
  if (name.includes("*")) WILD.push(mark);
  else BY_NAME.set(name, [...(BY_NAME.get(name) ?? []), mark]);
}

function fits(pattern: string, name: string): boolean {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === name;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
}

/** The folder above a mark, if the path ends in it. */
function folderAbove(parts: readonly string[], mark: Mark): string | undefined {
  const above = parts.length - mark.parts.length;
  if (above < 0 || !mark.parts.every((pattern, i) => fits(pattern, parts[above + i]!))) return undefined;
  return parts
    .slice(0, above)
    .map((p) => `${p}/`)
    .join("");
}

function rootsOf(paths: readonly string[]): readonly BundleRoot[] {
  const seen = new Map<string, Map<BundleKind, Set<number>>>();
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const named = BY_NAME.get(name);
    let parts: readonly string[] | undefined;
    for (const marks of named === undefined ? [WILD] : [named, WILD]) {
      for (const mark of marks) {
        if (marks === WILD && !fits(mark.parts.at(-1)!, name)) continue;
        parts ??= path.split("/");
        const folder = folderAbove(parts, mark);
        if (folder === undefined) continue;
        const kinds = seen.get(folder) ?? new Map<BundleKind, Set<number>>();
        seen.set(folder, kinds.set(mark.kind, (kinds.get(mark.kind) ?? new Set()).add(mark.group)));
      }
    }
  }
  const roots: BundleRoot[] = [];
  for (const [folder, kinds] of seen) {
    const kind = bundleKinds.find((k) => kinds.get(k)?.size === k.marks.length);
    if (kind !== undefined) roots.push({ kind, folder });
  }
  // The innermost first: a bundle inside a bundle is its own.
  return roots.sort((a, b) => b.folder.length - a.folder.length);
}

export function layoutOf(paths: readonly string[]): Layout {
  const roots = rootsOf(paths);
  const byFolder = new Map(roots.map((r) => [r.folder, r]));
  const place = (path: string): PlacedFile | undefined => {
    if (roots.length === 0) return undefined;
    for (let at = path.lastIndexOf("/"); ; at = path.lastIndexOf("/", at - 1)) {
      const root = byFolder.get(path.slice(0, at + 1));
      if (root !== undefined) {
        const below = path.slice(root.folder.length);
        return { root, path: below, role: roleOf(root.kind, below) };
      }
      if (at <= 0) return at === 0 || path === "" ? undefined : topOf(byFolder, path);
    }
  };
  return { roots, place, isRead: (path) => place(path)?.role !== undefined || place(path) === undefined };
}

function topOf(byFolder: ReadonlyMap<string, BundleRoot>, path: string): PlacedFile | undefined {
  const root = byFolder.get("");
  return root === undefined ? undefined : { root, path, role: roleOf(root.kind, path) };
}

function roleOf(kind: BundleKind, path: string): FileRole | undefined {
  for (const rule of kind.files) {
    const match = rule.path.exec(path);
    if (match === null) continue;
    const role = rule.role(match);
    if (role !== undefined) return role;
  }
  return undefined;
}
