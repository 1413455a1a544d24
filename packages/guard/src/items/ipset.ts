import type { IpsetCommand } from "@hairpin/core/parse/ipset/index.ts";
import { type Item, looked, Trouble } from "../item.ts";
import { runTool } from "../tool.ts";

/** An element of a set, kept or kept out. */
export function ipsetItem(command: string, { operation }: IpsetCommand): Item | string {
  if (operation.kind !== "add" && operation.kind !== "del")
    return `"${command}": only \`ipset add\` and \`del\` can be kept`;
  const { set } = operation;
  const words = operation.words.map((w) => w.text);
  const [entry = "", ...options] = words;
  const has = (): boolean => {
    const { ok, complaint } = runTool("ipset", ["test", set, entry]);
    if (ok) return true;
    if (/is NOT in set/i.test(complaint)) return false;
    throw new Trouble(complaint);
  };
  const change = (verb: "add" | "del"): void => {
    const { ok, complaint } = runTool("ipset", ["-exist", verb, set, entry, ...(verb === "add" ? options : [])]);
    if (!ok) throw new Trouble(complaint);
  };
  const keeps = operation.kind === "add";
  return {
    command,
    where: `ipset ${set}`,
    look: () => looked(() => (has() === keeps ? "present" : "absent")),
    before: () => ({ there: has() }),
    apply: () => change(keeps ? "add" : "del"),
    revert: ({ there }) => {
      if (there === !keeps) change(keeps ? "del" : "add");
    },
  };
}
