/** Netlink attributes of one message, by type; nested ones are decoded again by who knows that they are. */
export function attributesOf(data: Buffer, from = 0): ReadonlyMap<number, Buffer> {
  const found = new Map<number, Buffer>();
  for (let at = from; at + 4 <= data.length; ) {
    const length = data.readUInt16LE(at);
    if (length < 4 || at + length > data.length) break;
    found.set(data.readUInt16LE(at + 2) & 0x3fff, data.subarray(at + 4, at + length));
    at += (length + 3) & ~3;
  }
  return found;
}

export const be16 = (value: Buffer | undefined): number | undefined =>
  value !== undefined && value.length >= 2 ? value.readUInt16BE(0) : undefined;
export const be32 = (value: Buffer | undefined): number | undefined =>
  value !== undefined && value.length >= 4 ? value.readUInt32BE(0) : undefined;
export const byte = (value: Buffer | undefined): number | undefined => value?.[0];
