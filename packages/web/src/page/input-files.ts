import type { InputFile } from "./protocol.ts";

const SKIPPED = new Set([".git", "node_modules"]);
/** A folder of a whole disk is a mistake, not a case. */
const MOST = 20_000;

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

export const pasted = (text: string): InputFile => ({ path: "pasted.txt", bytes: new TextEncoder().encode(text) });
