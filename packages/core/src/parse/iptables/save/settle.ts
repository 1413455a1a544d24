import type { IptablesBackend, IptablesTableName } from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";
import type { DumpContext } from "../../dialect.ts";
import { toolWords } from "../recognise.ts";

/** What a dump's surroundings say about it; undefined where they say nothing. */
export interface Setting {
  readonly family: Family | undefined;
  readonly backend: IptablesBackend | undefined;
  readonly table: IptablesTableName | undefined;
  /** The one chain that was asked for: `iptables -L INPUT`. */
  readonly chain: string | undefined;
  readonly partial: boolean;
}

export const TABLES: readonly IptablesTableName[] = ["raw", "mangle", "nat", "filter", "security"];
export const isTable = (name: string): name is IptablesTableName => (TABLES as readonly string[]).includes(name);

export const familyOfTool = (tool: string): Family | undefined =>
  /ip6t/.test(tool) ? 6 : /ipt/.test(tool) ? 4 : undefined;
export const backendOfTool = (tool: string): IptablesBackend | undefined =>
  /legacy/.test(tool) ? "legacy" : /nft/.test(tool) ? "nft" : undefined;

/** `-t nat`, `-tnat`, `--table nat`, `--table=nat`. */
export function tableOfWords(words: readonly string[]): IptablesTableName | undefined {
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    let name: string | undefined;
    if (word === "-t" || word === "--table") name = words[i + 1];
    else if (word.startsWith("--table=")) name = word.slice(8);
    else if (/^-t[a-z]/.test(word)) name = word.slice(2);
    if (name !== undefined && isTable(name)) return name;
  }
  return undefined;
}

/** The chain named after -L or -S, also in `-nvL INPUT`. */
function chainOfWords(words: readonly string[]): string | undefined {
  const at = words.findIndex((w) => /^-[a-zA-Z]*[LS]$/.test(w) || w === "--list" || w === "--list-rules");
  const next = at < 0 ? undefined : words[at + 1];
  return next !== undefined && !next.startsWith("-") ? next : undefined;
}

export function settle(context: DumpContext): Setting {
  const words = toolWords(context.command ?? []);
  const tool = words[0] ?? "";
  const wrapper = context.command?.[0] ?? "";
  const known = /ip6?tables/.test(tool);
  return {
    family: context.family?.value ?? (known ? familyOfTool(tool) : undefined),
    backend: context.iptablesBackend?.value ?? (known ? (backendOfTool(tool) ?? backendOfTool(wrapper)) : undefined),
    table: context.iptablesTable?.value ?? (known ? tableOfWords(words) : undefined),
    chain: known ? chainOfWords(words) : undefined,
    partial: context.partial !== undefined,
  };
}
