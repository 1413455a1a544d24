import { causes } from "./causes.ts";
import { evidence } from "./evidence.ts";
import { facts } from "./facts.ts";
import { verdicts } from "./verdicts.ts";

/** Group by group, a file each; ids are `group.name`. */
export const en = { ...verdicts, ...causes, ...facts, ...evidence } as const;
