import type { InputFile, Upload } from "./protocol.ts";

const SKIPPED = new Set([".git", "node_modules"]);
/** A folder of a whole disk is a mistake, not a case. */
const MOST = 20_000;
const PASTED = "pasted.txt";

/** Files of a file chooser, with their folders where a folder was chosen. */
export const chosenFiles = (list: FileList): Promise<readonly InputFile[]> =>
  Promise.all(
    [...list].slice(0, MOST).map((f) => read(f, f.webkitRelativePath === "" ? f.name : f.webkitRelativePath)),
  );

async function read(file: File, path: string): Promise<InputFile> {
  return { path, bytes: new Uint8Array(await file.arrayBuffer()) };
}

/** What was dropped: files, and folders with all that is in them. */
export async function droppedFiles(data: DataTransfer): Promise<readonly InputFile[]> {
  const entries = [...data.items].flatMap((i) => i.webkitGetAsEntry() ?? []);
  if (entries.length === 0) {
    if (data.files.length > 0) return chosenFiles(data.files);
    const text = data.getData("text/plain");
    return text === "" ? [] : [pasted(text)];
  }
  const found: { readonly entry: FileSystemFileEntry; readonly path: string }[] = [];
  for (const entry of entries) await visit(entry, entry.name, found);
  return Promise.all(
    found.map(async ({ entry, path }) => read(await new Promise<File>((done, fail) => entry.file(done, fail)), path)),
  );
}

async function visit(
  entry: FileSystemEntry,
  path: string,
  found: { readonly entry: FileSystemFileEntry; readonly path: string }[],
): Promise<void> {
  if (found.length >= MOST) return;
  if (entry.isFile) {
    found.push({ entry: entry as FileSystemFileEntry, path });
    return;
  }
  if (SKIPPED.has(entry.name)) return;
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (some.length === 0) return;
    for (const child of some) await visit(child, `${path}/${child.name}`, found);
  }
}

export const pasted = (text: string): InputFile => ({ path: PASTED, bytes: new TextEncoder().encode(text) });

/** What was dropped or chosen at once, by what it was: each file for itself, each folder as a whole. */
export function givenOf(files: readonly InputFile[]): readonly Upload[] {
  const byTop = new Map<string, InputFile[]>();
  for (const file of files) {
    const [top = file.path] = file.path.split("/");
    const known = byTop.get(top);
    if (known === undefined) byTop.set(top, [file]);
    else known.push(file);
  }
  return [...byTop].map(([name, inside]) => ({ name, files: inside, whole: false }));
}

/** With something more: what has the same name is replaced, pasted texts stand beside each other. */
export function added(given: readonly Upload[], more: readonly Upload[]): readonly Upload[] {
  const all = [...given];
  for (const one of more) {
    const at = all.findIndex((g) => g.name === one.name);
    if (at < 0) all.push(one);
    else if (one.name === PASTED) all.push(numbered(one, all));
    else all[at] = one;
  }
  return all;
}

function numbered(one: Upload, among: readonly Upload[]): Upload {
  for (let n = 2; ; n++) {
    const name = `pasted-${n}.txt`;
    if (!among.some((g) => g.name === name))
      return { ...one, name, files: one.files.map((f) => ({ ...f, path: name })) };
  }
}
