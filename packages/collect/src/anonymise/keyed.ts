import { createHmac, randomBytes } from "node:crypto";

/** Numbers that follow from a text and a key nobody keeps. */
export interface Keyed {
  readonly bit: (text: string) => number;
  readonly bytes: (text: string) => Buffer;
}

export function keyed(key: Buffer = randomBytes(32)): Keyed {
  const bytes = (text: string) => createHmac("sha256", key).update(text).digest();
  return { bytes, bit: (text) => bytes(text)[0]! & 1 };
}
