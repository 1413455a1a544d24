import type { Branch, Leg } from "@hairpin/core/trace/index.ts";
import { predictedEntries } from "./compare/conntrack.ts";
import { allLegsOf, type HookLine, predictedHooks, predictedRedirects } from "./predict.ts";

/** A branch as the file of expectations tells it. */
export interface GoldenBranch {
  /** `refused (ECONNREFUSED)` */
  readonly client: string;
  readonly hooks: readonly HookLine[];
}

const SEPARATOR = /^--- .*\n/m;

/**
 * What is to be seen of a conversation, for people to read and for both engines to be held to: what the client is told,
 * how far each packet got, the hooks stack by stack, and what conntrack holds at the end.
 */
export function goldenText(branches: readonly Branch[]): string {
  const texts = branches.map((branch) => ({ share: branch.share, text: branchText(branch) }));
  const distinct = new Map<string, number>();
  for (const { share, text } of texts) distinct.set(text, (distinct.get(text) ?? 0) + share);
  if (distinct.size === 1) return texts[0]!.text;
  return [...distinct]
    .map(([text, share]) => `--- ${Math.round(share * 1000) / 10}%\n${text}`)
    .sort()
    .join("");
}

export const clientText = (sees: string | null | undefined, errno: string | null | undefined): string =>
  `${sees ?? "undetermined"}${errno === null || errno === undefined ? "" : ` (${errno})`}`;

function branchText(branch: Branch): string {
  const hooks = predictedHooks(branch);
  const redirects = predictedRedirects(branch);
  const stacks = [...new Set([...hooks, ...redirects, ...branch.connections.all()].map((l) => l.stack))];
  const lines = [`client: ${clientText(branch.clientSees, branch.errno)}`, ...allLegsOf(branch).map(legText)];
  for (const stack of stacks) {
    const observed = hooks.filter((l) => l.stack === stack);
    const entries = predictedEntries(branch, stack);
    if (observed.length > 0) lines.push("", `hooks of ${stack}`, ...observed.map((l) => `  ${l.text}`));
    const told = redirects.filter((l) => l.stack === stack);
    if (told.length > 0) lines.push("", `redirects in ${stack}`, ...told.map((l) => `  ${l.text}`));
    if (entries.length > 0) lines.push("", `conntrack of ${stack}`, ...entries.map((e) => `  ${e}`));
  }
  return `${lines.join("\n")}\n`;
}

function legText(leg: Leg): string {
  const lost = leg.drop === null ? "" : `, ${leg.step}: ${leg.drop}`;
  return `${leg.what}: ${leg.disposition} at ${leg.stack}${lost}`;
}

/** What of such a text a kernel can be held to. */
export function readGolden(text: string): readonly GoldenBranch[] {
  return text
    .split(SEPARATOR)
    .filter((block) => block.trim() !== "")
    .map((block) => {
      const hooks: HookLine[] = [];
      let client = "";
      let stack: string | undefined;
      for (const line of block.split("\n")) {
        if (line.startsWith("client: ")) client = line.slice(8);
        else if (line.startsWith("hooks of ")) stack = line.slice(9);
        else if (!line.startsWith("  ")) stack = undefined;
        else if (stack !== undefined) hooks.push({ stack, text: line.slice(2) });
      }
      return { client, hooks };
    });
}
