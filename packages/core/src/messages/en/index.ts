import { verdicts } from "./verdicts.ts";

/** Group by group, a file each; ids are `group.name`. */
export const en = { ...verdicts } as const;
