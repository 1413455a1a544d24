import type { Loaded } from "./loaded.ts";
import type { RuleSetting } from "./reader.ts";

const BUILT_IN = new Set(["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"]);

/** The kernel refuses an extension outside the tables and hooks it was made for. */
export function checkPlace(loaded: readonly Loaded[], setting: RuleSetting): void {
  for (const one of loaded) {
    const { tables, hooks } = one.extension ?? {};
    if (tables !== undefined && !tables.includes(setting.table)) {
      const where = tables.join(" or ");
      setting.report("warning", "iptables-wrong-table", `${one.name} belongs in the table ${where}`, one.words[0] ?? 0);
    } else if (hooks !== undefined && BUILT_IN.has(setting.chain) && !hooks.includes(setting.chain)) {
      const where = hooks.join(", ");
      setting.report("warning", "iptables-wrong-hook", `${one.name} works in ${where} only`, one.words[0] ?? 0);
    }
  }
}
