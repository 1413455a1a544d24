import { text } from "@hairpin/core/messages/index.ts";
import { type IptablesTable, savesKubeChains } from "@hairpin/core/model/index.ts";
import { sourceOf } from "@hairpin/core/parse/index.ts";
import { readSave } from "@hairpin/core/parse/iptables/index.ts";
import { tableInput, tableName, words } from "./gate.ts";
import { Trouble } from "./item.ts";
import { runTool } from "./tool.ts";

export type Backend = "legacy" | "nft";

/** One table as the kernel has it now. */
export function readTable(tool: string, table: string): IptablesTable {
  const { ok, out, complaint } = runTool(`${tool}-save`, words`-t ${tableName(table)}`);
  if (!ok) throw new Trouble(complaint);
  const { document } = readSave(sourceOf(`${tool}-save`, out), {});
  const found = document.parts.flatMap((p) => (p.kind === "table" ? [p.table] : [])).find((t) => t.name === table);
  if (found === undefined) throw new Trouble(text("guard.no-table", { tool, table }));
  return found;
}

/** Several changes of one table in one transaction: all of them or none (iptables-restore commits a table at once). */
export function changeTable(tool: string, table: string, lines: readonly string[]): void {
  const { ok, complaint } = runTool(`${tool}-restore`, words`--noflush -w 10`, {
    input: tableInput(table, lines),
  });
  if (!ok) throw new Trouble(complaint);
}

/**
 * The back end that the node really uses: the one in which kube-proxy's or the kubelet's chains are, else the one with more
 * rules, else what `iptables` itself says it is.
 */
export function backendInUse(): Backend {
  const weigh = (backend: Backend): { readonly kube: boolean; readonly rules: number } => {
    const { ok, out } = runTool(`iptables-${backend}-save`, []);
    return ok ? { kube: savesKubeChains(out), rules: out.match(/^-A /gm)?.length ?? 0 } : { kube: false, rules: 0 };
  };
  const legacy = weigh("legacy");
  const nft = weigh("nft");
  if (legacy.kube !== nft.kube) return legacy.kube ? "legacy" : "nft";
  if (legacy.rules !== nft.rules) return legacy.rules > nft.rules ? "legacy" : "nft";
  return runTool("iptables", words`-V`).out.includes("legacy") ? "legacy" : "nft";
}
