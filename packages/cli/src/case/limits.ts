const MiB = 1024 * 1024;

/** Bounds on what a case may bring: a bundle from a stranger must not fill the disk, the memory or the day. */
export const LIMITS = {
  files: 20_000,
  fileBytes: 256 * MiB,
  totalBytes: 512 * MiB,
  /** Of a packed bundle, what is unpacked in memory; of a larger one, onto the disk. */
  unpackedInMemory: 64 * MiB,
  unpackedOnDisk: 4096 * MiB,
  /** Folders inside folders. */
  depth: 32,
  /** Characters of one path inside a bundle. */
  pathLength: 1024,
} as const;

export type Limits = { readonly [K in keyof typeof LIMITS]: number };

export const inMiB = (bytes: number): string => `${Math.round(bytes / MiB)} MiB`;
