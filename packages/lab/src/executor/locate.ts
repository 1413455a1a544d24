import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Beside the sources in a clone; beside the bundle where it was installed. */
const CANDIDATES = ["../../executor/", "./executor/", "../../lab/executor/"] as const;

/** The folder of the Python program. */
export function executorFolder(): string {
  for (const candidate of CANDIDATES) {
    const folder = fileURLToPath(new URL(candidate, import.meta.url));
    if (existsSync(`${folder}__main__.py`)) return folder;
  }
  throw new Error("the lab's executor is not beside the program; the installation is incomplete");
}
