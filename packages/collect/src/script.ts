import { readFileSync } from "node:fs";

/** Set by the build; run from source, the file beside this one is read. */
declare const HAIRPIN_COLLECT_SCRIPT: string | undefined;

/** The script that does the collecting, as plain `sh`. */
export const collectScript = (): string =>
  typeof HAIRPIN_COLLECT_SCRIPT === "string"
    ? HAIRPIN_COLLECT_SCRIPT
    : readFileSync(new URL("./collect.sh", import.meta.url), "utf8");
