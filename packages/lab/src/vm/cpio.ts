/** A file of an initramfs. */
export type ArchiveEntry =
  | { readonly path: string; readonly kind: "file"; readonly data: Buffer; readonly executable: boolean }
  | { readonly path: string; readonly kind: "link"; readonly target: string };

const FILE = 0o100000;
const LINK = 0o120000;
const FOLDER = 0o040000;

/** A "newc" cpio archive, as the kernel unpacks it (init/initramfs.c). Folders are made as they are needed. */
export function cpio(entries: readonly ArchiveEntry[]): Buffer {
  const parts: Buffer[] = [];
  const made = new Set<string>();
  let inode = 1;
  const add = (path: string, mode: number, data: Buffer): void => {
    const name = Buffer.from(`${path}\0`);
    const fields = [inode++, mode, 0, 0, 1, 0, data.length, 0, 0, 0, 0, name.length, 0];
    const head = Buffer.from(`070701${fields.map((f) => f.toString(16).padStart(8, "0")).join("")}`);
    parts.push(pad(Buffer.concat([head, name])), pad(data));
  };
  const folders = (path: string): void => {
    const cut = path.lastIndexOf("/");
    if (cut <= 0) return;
    const folder = path.slice(0, cut);
    if (made.has(folder)) return;
    folders(folder);
    made.add(folder);
    add(folder, FOLDER | 0o755, Buffer.alloc(0));
  };
  for (const entry of entries) {
    folders(entry.path);
    if (entry.kind === "link") {
      made.add(entry.path);
      add(entry.path, LINK | 0o777, Buffer.from(entry.target));
    } else add(entry.path, FILE | (entry.executable ? 0o755 : 0o644), entry.data);
  }
  add("TRAILER!!!", 0, Buffer.alloc(0));
  return Buffer.concat(parts);
}

const pad = (data: Buffer): Buffer => {
  const missing = -data.length & 3;
  return missing === 0 ? data : Buffer.concat([data, Buffer.alloc(missing)]);
};
