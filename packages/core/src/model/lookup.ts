/**
 * A table that is asked with words of a dump. It holds what stands in it and nothing else: an object of its own answers to
 * `constructor`, `toString` and `__proto__` as well.
 */
export const lookup = <Value>(entries: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.freeze(Object.assign(Object.create(null) as Record<string, Value>, entries));
