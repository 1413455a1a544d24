/**
 * A record some of whose fields are computed when one of them is first read. They are fields of its own: whoever copies the record, or prints
 * it, reads them.
 */
export function lazily<T extends object, K extends keyof T>(record: T, keys: readonly K[], make: () => Pick<T, K>): T {
  let made: Pick<T, K> | undefined;
  for (const key of keys)
    Object.defineProperty(record, key, {
      enumerable: true,
      configurable: true,
      get: () => {
        made ??= make();
        return made[key];
      },
    });
  return record;
}
