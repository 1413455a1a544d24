import { gzipSync } from "node:zlib";

const BLOCK = 512;

function header(path: string, size: number, type = "0"): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(path.slice(0, 100), 0, "utf8");
  block.write("0000600\0", 100);
  block.write("0000000\0", 108);
  block.write("0000000\0", 116);
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write("00000000000\0", 136);
  block.write("        ", 148);
  block.write(type, 156);
  block.write("ustar\x0000", 257, "latin1");
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);

/** Files as one .tar.gz; a path too long for its field is told in a pax record before it. */
export function packed(files: readonly { readonly path: string; readonly text: string }[]): Buffer {
  const blocks: Buffer[] = [];
  for (const { path, text } of files) {
    const bytes = Buffer.from(text, "utf8");
    if (Buffer.byteLength(path) > 99) {
      const record = ` path=${path}\n`;
      let length = Buffer.byteLength(record) + 2;
      while (Buffer.byteLength(`${length}${record}`) !== length) length = Buffer.byteLength(`${length}${record}`);
      const pax = Buffer.from(`${length}${record}`);
      blocks.push(header("pax", pax.length, "x"), padded(pax));
    }
    blocks.push(header(path, bytes.length), padded(bytes));
  }
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]));
}
