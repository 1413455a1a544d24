import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atTheNode, type Call, solve } from "./agent.ts";
import { CASES, connected } from "./client.ts";

/** The cases of the transcript; of the second, the node's settings were not in the bundle. */
export const SOLVED = [
  { name: "nodeport-local-policy", without: [] },
  { name: "pod-to-lb-two-cards", without: ["nodes/node-1/sysctl.txt"] },
  { name: "overlay-mtu", without: [] },
] as const;

/** Has an agent-like client solve each of them, in a folder with nothing else. */
export async function solvedCases(): Promise<readonly { readonly name: string; readonly calls: readonly Call[] }[]> {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-mcp-"));
  try {
    for (const { name, without } of SOLVED) {
      cpSync(join(CASES, name), join(folder, name), { recursive: true });
      for (const path of without) rmSync(join(folder, name, path));
    }
    const client = await connected([folder]);
    const solved = [];
    for (const { name } of SOLVED)
      solved.push({ name, calls: await solve(client, name, atTheNode(join(CASES, name))) });
    await client.close();
    return solved;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As docs/mcp.md shows it: what was called, and the text of the answer. */
export const transcriptText = (solved: Awaited<ReturnType<typeof solvedCases>>): string =>
  solved
    .map(({ name, calls }) => {
      const shown = calls.map(({ tool, args, told }) => `> ${tool} ${JSON.stringify(args)}\n${told.text}`);
      return `**${name}**\n\n\`\`\`console\n${shown.join("\n\n")}\n\`\`\``;
    })
    .join("\n\n");
