const MiB = 1024 * 1024;

/** Bounds on what a case may bring: a bundle from a stranger must not fill the disk, the memory or the day. */
export const LIMITS = {
  /** Files that are read, and what they hold. */
  files: 20_000,
  fileBytes: 256 * MiB,
  totalBytes: 512 * MiB,
  /** Rules of many nodes that are read one by one, where what they have in common is kept once; 0: all is kept. */
  streamedBytes: 0,
  /** Files that an archive or a folder lists, read or not. */
  entries: 500_000,
  /** Of packed bundles, what is unpacked in memory; of larger ones, onto the disk. */
  unpackedInMemory: 64 * MiB,
  unpackedOnDisk: 4096 * MiB,
  /** Folders inside folders, and archives inside archives. */
  depth: 32,
  nesting: 4,
  /** Characters of one path inside a bundle. */
  pathLength: 1024,
} as const;

export type Limits = { readonly [K in keyof typeof LIMITS]: number };

export const inMiB = (bytes: number): string => `${Math.round(bytes / MiB)} MiB`;

/** Of a sweep: the rules of a hundred nodes are read one by one, and what they have in common is kept once. */
export const SWEEP_LIMITS: Limits = { ...LIMITS, streamedBytes: 4096 * MiB };
