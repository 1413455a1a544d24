import { shellLine, Unspeakable } from "../model/shell.ts";
import type { FlowQuestion } from "./flow.ts";

/** The question that shows a class, to be typed. `paths`: what the case is called on the command line. */
export function diagnoseLine(paths: readonly string[], { from, to, proto, node, via, family }: FlowQuestion): string {
  const words = [
    ...["hairpin", "diagnose", ...paths, "--from", from, "--to", to],
    ...(proto === "tcp" ? [] : ["--proto", proto]),
    ...(node === undefined ? [] : ["--node", node]),
    ...(via === undefined ? [] : ["--via", via]),
    ...(family === undefined ? [] : ["--family", `${family}`]),
  ];
  try {
    return shellLine(words);
  } catch (error) {
    if (!(error instanceof Unspeakable)) throw error;
    // Nobody can type such a name: what stands there is to be read.
    return shellLine(words.map((word) => word.replace(/[^\x20-\x7e]/gu, "?")));
  }
}
