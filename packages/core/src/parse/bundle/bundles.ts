import type { CaseInput } from "../case/input.ts";
import type { FileRole, NameSource } from "./kind.ts";
import { type BundleRoot, layoutOf } from "./layout.ts";

/** A support bundle of a case. */
export interface Bundle extends BundleRoot {
  /** The machine that all of it is of, if it is of one. */
  readonly node?: string;
  /** Its files that are read: where they lie below the bundle's folder, and what they are called in answers. */
  readonly files: readonly BundledFile[];
}

export interface BundledFile {
  readonly path: string;
  readonly role: FileRole;
  readonly input: CaseInput;
}

export interface Bundles {
  readonly all: readonly Bundle[];
  /** What a file is in its bundle, and of which node. */
  readonly roleOf: (input: CaseInput) => FileRole | undefined;
}

export const withinOf = ({ path, within }: CaseInput): string => within ?? path;

/** Which support bundles the files of a case are, whose they are, and what each file is. */
export function bundlesOf(inputs: readonly CaseInput[]): Bundles {
  const layout = layoutOf(inputs.map(withinOf));
  const files = new Map<BundleRoot, BundledFile[]>();
  const roles = new Map<CaseInput, FileRole>();
  for (const input of inputs) {
    const placed = layout.place(withinOf(input));
    if (placed?.role === undefined) continue;
    const { root, path, role } = placed;
    const own = files.get(root) ?? [];
    if (own.length === 0) files.set(root, own);
    own.push({ path, role, input });
  }
  const nodes = nodesOf(layout.roots, files);
  const all = layout.roots.map((root): Bundle => {
    const own = files.get(root) ?? [];
    const node = nodes.get(root);
    for (const { input, role } of own) {
      roles.set(input, role.node !== undefined || node === undefined ? role : { ...role, node });
    }
    return { ...root, files: own, ...(node === undefined ? {} : { node }) };
  });
  return { all, roleOf: (input) => roles.get(input) };
}

interface Named {
  readonly root: BundleRoot;
  readonly name: string;
  /** The machine says so itself. */
  readonly sure: boolean;
}

/** Folders that hold a bundle, innermost first. */
const foldersAbove = ({ folder }: BundleRoot): readonly string[] =>
  folder
    .split("/")
    .filter((p) => p !== "")
    .reverse();

/**
 * Whose each bundle is. Bundles that no file of theirs names and that folders name alike (`data/collector.json` of two machines) are two
 * machines' all the same: the first folder above that differs tells them apart.
 */
function nodesOf(
  roots: readonly BundleRoot[],
  files: ReadonlyMap<BundleRoot, readonly BundledFile[]>,
): ReadonlyMap<BundleRoot, string> {
  const named = roots.flatMap((root) => nodeOf(root, files.get(root) ?? []) ?? []);
  const alike = new Map<string, Named[]>();
  for (const one of named) alike.set(one.name, [...(alike.get(one.name) ?? []), one]);
  return new Map(
    named.map(({ root, name, sure }) => {
      const group = alike.get(name)!;
      return [root, sure || group.length === 1 ? name : toldApart(root, group)];
    }),
  );
}

function toldApart(root: BundleRoot, group: readonly Named[]): string {
  const own = foldersAbove(root);
  const others = group.filter((g) => g.root !== root).map((g) => foldersAbove(g.root));
  const differs = own.find((folder, i) => others.every((o) => o[i] !== folder));
  return differs === undefined ? [...own].reverse().join("-") : withoutPacking(differs);
}

const withoutPacking = (name: string): string =>
  name.replace(/\.(?:zip|tgz|json|tar(?:\.(?:gz|xz|zst|bz2))?)$/i, "") || name;

function nodeOf(root: BundleRoot, files: readonly BundledFile[]): Named | undefined {
  const { names } = root.kind;
  if (names === undefined) return undefined;
  const above = foldersAbove(root);
  for (const source of names) {
    const name = "file" in source ? nameIn(source, files) : nameAbove(source, above);
    if (name !== undefined) return { root, name, sure: "file" in source };
  }
  // A machine all the same: the folder keeps it apart from others.
  return above[0] === undefined ? undefined : { root, name: above[0], sure: false };
}

type InFile = Extract<NameSource, { file: RegExp }>;
type InFolder = Extract<NameSource, { folder: RegExp }>;

function nameIn({ file, read }: InFile, files: readonly BundledFile[]): string | undefined {
  for (const { path, input } of files) {
    const name = file.test(path) && input.text !== undefined ? read(input.text.slice(0, 65_536)) : undefined;
    if (name !== undefined) return name;
  }
  return undefined;
}

function nameAbove({ folder }: InFolder, above: readonly string[]): string | undefined {
  for (const name of above) {
    const found = folder.exec(name)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}
