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
  const all = layout.roots.map((root): Bundle => {
    const own = files.get(root) ?? [];
    const node = nodeOf(root, own);
    for (const { input, role } of own) {
      roles.set(input, role.node !== undefined || node === undefined ? role : { ...role, node });
    }
    return { ...root, files: own, ...(node === undefined ? {} : { node }) };
  });
  return { all, roleOf: (input) => roles.get(input) };
}

function nodeOf({ kind, folder }: BundleRoot, files: readonly BundledFile[]): string | undefined {
  if (kind.names === undefined) return undefined;
  const above = folder
    .split("/")
    .filter((p) => p !== "")
    .reverse();
  for (const source of kind.names) {
    const name = "file" in source ? nameIn(source, files) : nameAbove(source, above);
    if (name !== undefined) return name;
  }
  // A machine all the same: the folder keeps it apart from others.
  return above[0];
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
