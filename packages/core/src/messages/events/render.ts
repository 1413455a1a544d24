import type { Port } from "../../model/index.ts";
import type { Text } from "../text.ts";

/** One renderer for each kind of a union: the compiler asks for every one of them. */
export type Renderers<Event extends { readonly kind: string }> = {
  readonly [Kind in Event["kind"]]: (event: Extract<Event, { readonly kind: Kind }>) => Text;
};

export const hex = (n: number): string => `0x${(n >>> 0).toString(16)}`;
/** A port that is a set has no number. */
export const portText = (port: Port): string => (typeof port === "number" ? String(port) : "*");
/** For what the walk met without a name. */
export const orUnknown = (it: string | number | undefined): string => (it === undefined ? "?" : String(it));
