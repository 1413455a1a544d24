/** A small writer of tar archives, honest and hostile ones alike. */
export interface Entry {
  readonly name: string;
  readonly content?: string | Buffer;
  /** "0" file, "1" hard link, "2" symbolic link, "3" device, "5" folder, "L" long name, "x" pax. */
  readonly type?: string;
  readonly link?: string;
  /** What the header says, where it lies. */
  readonly size?: number;
  readonly prefix?: string;
}

export function tarOf(...entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? "");
    const header = Buffer.alloc(512);
    header.write(entry.name, 0, 100, "utf8");
    header.write("0000644\0", 100);
    header.write("0000000\0", 108);
    header.write("0000000\0", 116);
    header.write(`${(entry.size ?? content.length).toString(8).padStart(11, "0")}\0`, 124);
    header.write("00000000000\0", 136);
    header.write("        ", 148);
    header.write(entry.type ?? "0", 156);
    header.write(entry.link ?? "", 157, 100, "utf8");
    header.write("ustar\0" + "00", 257);
    header.write(entry.prefix ?? "", 345, 155, "utf8");
    let sum = 0;
    for (const byte of header) sum += byte;
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
