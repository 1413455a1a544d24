import type { CaseInput } from "../../case/input.ts";

/** Sections of `clusterinfo` whose objects are read. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ["pods", "Pod"],
  ["nodes", "Node"],
  ["services", "Service"],
  ["endpoints", "Endpoints"],
]);
const SECTION = /^#([a-z]+)\s*$/;

/** antctl writes objects one after another under `#pods`, `#nodes` …, without saying their kind: each section becomes a file. */
export function antreaCluster(input: CaseInput): readonly CaseInput[] | undefined {
  if (!/(?:^|\/)clusterinfo$/.test(input.path) || !/^#(?:pods|nodes)\s*$/m.test(input.text ?? "")) return undefined;
  const sections = new Map<string, string[]>();
  let lines: string[] | undefined;
  let first = true;
  for (const line of (input.text ?? "").split(/\r?\n/)) {
    const section = SECTION.exec(line)?.[1];
    if (section !== undefined) {
      const known = KINDS.has(section);
      lines = known ? (sections.get(section) ?? []) : undefined;
      if (lines !== undefined) sections.set(section, lines);
      first = true;
    } else if (lines !== undefined) {
      // Each object begins with its metadata.
      if (/^metadata:\s*$/.test(line)) lines.push(...(first ? [] : ["---"]), "", `kind: ${kindOf(sections, lines)}`);
      if (line.trim() !== "---") lines.push(line);
      first = false;
    }
  }
  return [...sections].map(([name, text]) => ({
    path: `${input.path}/${name}.yaml`,
    within: `${input.within ?? input.path}/${name}.yaml`,
    text: `${text.join("\n").trim()}\n`,
  }));
}

const kindOf = (sections: ReadonlyMap<string, readonly string[]>, lines: readonly string[]): string =>
  KINDS.get([...sections].find(([, own]) => own === lines)?.[0] ?? "") ?? "";
