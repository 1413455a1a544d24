/**
 * What is built beside the program (the page, the server of agents) and read when it is asked for: a file in its folder, or a part of
 * the single executable. The boot hands in the way to it; run from source there is none.
 */
declare const HAIRPIN_BESIDE: ((name: string) => string) | undefined;

export const beside = (name: string): string | undefined =>
  typeof HAIRPIN_BESIDE === "function" ? HAIRPIN_BESIDE(name) : undefined;

/** Whether this is the single executable, which holds Node and all that lies beside the program. */
export const inExecutable = (): boolean => typeof HAIRPIN_EXECUTABLE === "boolean" && HAIRPIN_EXECUTABLE;

declare const HAIRPIN_EXECUTABLE: boolean | undefined;
