/** What JSON.parse gives back, read without trust in its shape. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export const members = (value: Json | undefined): { readonly [key: string]: Json | undefined } =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: Json })
    : {};
export const list = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];
export const str = (value: Json | undefined): string => (typeof value === "string" ? value : "");
export const num = (value: Json | undefined): number | undefined => (typeof value === "number" ? value : undefined);
