import { homedir } from "node:os";
import { join } from "node:path";

/** Where VM images are kept: $XDG_CACHE_HOME/hairpin, by default ~/.cache/hairpin. */
export const cacheFolder = (): string => join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "hairpin", "vm");
