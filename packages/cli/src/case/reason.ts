import { type Text, text, verbatim } from "@hairpin/core/messages/index.ts";

/** Why the system refuses a path, in words. */
export const reason = (error: unknown): Text => {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return text("error.not-there");
  if (code === "EACCES" || code === "EPERM") return text("error.not-readable");
  if (code === "EISDIR") return text("error.is-folder");
  if (code === "ENOTDIR") return text("error.is-no-folder");
  return verbatim(error instanceof Error ? error.message : String(error));
};
