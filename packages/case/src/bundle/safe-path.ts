import { text } from "@hairpin/core/messages/index.ts";
import { BadBundle } from "./bad-bundle.ts";

/** A path that stays inside the bundle, with forward slashes and without `./`; throws for any other. */
export function safePath(path: string, longest: number): string {
  const parts = path.split("/").filter((p) => p !== "" && p !== ".");
  const outside = path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path) || parts.includes("..") || path.includes("\\..");
  if (outside || path.includes("\0")) {
    throw new BadBundle(text("error.bundle-leads-out", { path: JSON.stringify(path.slice(0, 200)) }));
  }
  if (path.length > longest) throw new BadBundle(text("error.bundle-long-path", { longest }));
  return parts.join("/");
}
