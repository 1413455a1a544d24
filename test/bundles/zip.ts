import { deflateRawSync } from "node:zlib";

/** A small writer of zip archives, honest and hostile ones alike. */
export interface ZipFile {
  readonly name: string;
  readonly content: string;
  readonly method?: 0 | 8;
  readonly mode?: number;
  readonly flags?: number;
  /** Packed bytes other than the content's, and what the directory says of sizes, where it lies. */
  readonly raw?: Buffer;
  readonly packed?: number;
  readonly length?: number;
  /** Its directory entry points at the first file. */
  readonly shares?: boolean;
}

export function zipOf(...files: readonly ZipFile[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const file of files) {
    const method = file.method ?? 8;
    const content = Buffer.from(file.content);
    const bytes = file.raw ?? (method === 8 ? deflateRawSync(content) : content);
    const name = Buffer.from(file.name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(method, 8);
    local.writeUInt32LE(bytes.length, 18);
    local.writeUInt32LE(content.length, 22);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(file.flags ?? 0, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(file.packed ?? bytes.length, 20);
    entry.writeUInt32LE(file.length ?? content.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(((file.mode ?? 0o100644) << 16) >>> 0, 38);
    entry.writeUInt32LE(file.shares ? 0 : at, 42);
    directory.push(Buffer.concat([entry, name]));
    const whole = Buffer.concat([local, name, bytes]);
    parts.push(whole);
    at += whole.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, central, end]);
}
