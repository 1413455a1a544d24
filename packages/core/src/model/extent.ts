/**
 * How much of a thing was seen. What a `whole` listing lacks is absent; what a `partial` one lacks (output cut by
 * grep, head, an ellipsis, one set's name) is not known to be absent; `unread` means nobody showed any of it.
 */
export type Extent = "whole" | "partial" | "unread";

/** A collection together with what its gaps prove. */
export interface Listing<T> {
  readonly items: readonly T[];
  readonly extent: Extent;
}

export const whole = <T>(items: readonly T[]): Listing<T> => ({ items, extent: "whole" });
export const partial = <T>(items: readonly T[]): Listing<T> => ({ items, extent: "partial" });
export const unread: Listing<never> = { items: [], extent: "unread" };
