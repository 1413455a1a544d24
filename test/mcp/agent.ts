import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { call, type Told } from "./client.ts";

export interface Call {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly told: Told;
}

/** Somebody at the node, who runs what an answer asks for. */
export type Run = (node: string, command: string) => string;

/**
 * Solves a case as an agent does that knows only what the answers say: it asks, runs what is asked of it, asks again, and has the
 * proposed fix judged. It never reads a rule.
 */
export async function solve(client: Client, name: string, run: Run): Promise<readonly Call[]> {
  const calls: Call[] = [];
  const ask = async (tool: string, args: Record<string, unknown>): Promise<Told> => {
    const told = await call(client, tool, args);
    calls.push({ tool, args, told });
    return told;
  };
  const pasted: { node: string; command: string; output: string }[] = [];
  const evidence = () => (pasted.length === 0 ? {} : { pasted });
  let answer = await ask("diagnose", { case: name });
  for (const _ of [1, 2]) {
    const [need] = answer.data.needs as { node: string; command: string }[];
    if (answer.data.verdict !== "undetermined" || need === undefined) break;
    pasted.push({ node: need.node, command: need.command, output: run(need.node, need.command) });
    answer = await ask("diagnose", { case: name, ...evidence() });
  }
  const [fix] = answer.data.fixes as { code: string }[];
  if (fix !== undefined) await ask("what_if", { case: name, change: [fix.code], ...evidence() });
  return calls;
}

/** The node as the complete case has it: its dump of settings answers `sysctl KEY…`. */
export const atTheNode =
  (folder: string): Run =>
  (node, command) => {
    const [program, ...keys] = command.split(" ");
    if (program !== "sysctl") throw new Error(`nobody here can run ${command}`);
    const all = readFileSync(join(folder, "nodes", node, "sysctl.txt"), "utf8").split("\n");
    return keys.flatMap((k) => all.filter((l) => l.startsWith(`${k} =`))).join("\n");
  };
