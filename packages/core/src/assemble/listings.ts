import { type Extent, type Listing, unread } from "../model/index.ts";

interface Part<T> {
  readonly items: readonly T[];
  readonly extent: Extent;
}

/** Listings of one thing as one, each item once; whole as soon as one of them is. */
export function mergeListings<T>(parts: readonly Part<T>[], key: (item: T) => string): Listing<T> {
  if (parts.length === 0) return unread;
  const items = new Map<string, T>();
  for (const part of parts)
    for (const item of part.items) {
      const name = key(item);
      if (!items.has(name)) items.set(name, item);
    }
  return { items: [...items.values()], extent: parts.some((p) => p.extent === "whole") ? "whole" : "partial" };
}
