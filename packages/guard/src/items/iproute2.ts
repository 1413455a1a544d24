import type { Facts } from "@hairpin/core/parse/index.ts";
import { sourceOf } from "@hairpin/core/parse/index.ts";
import { dialects } from "@hairpin/core/parse/iproute2/index.ts";
import { ipWords } from "../gate.ts";
import { Trouble } from "../item.ts";
import { runTool } from "../tool.ts";

/** What `ip … show` says now, as facts. */
export function listed(dialect: "ip-rule" | "ip-route", args: readonly string[]): readonly Facts[] {
  const { ok, out, err, complaint } = runTool("ip", ipWords(args));
  // A table nobody ever put a route in: newer tools complain, and it is as empty as one that lists nothing.
  if (!ok && !/FIB table does not exist/.test(err)) throw new Trouble(complaint);
  return dialects.find((d) => d.id === dialect)?.read(sourceOf("ip", out), { command: ["ip", ...args] }).facts ?? [];
}

/** A change that is already so, or already gone, is no trouble. */
export function change(args: readonly string[]): void {
  const { ok, err, complaint } = runTool("ip", ipWords(args));
  if (!ok && !/File exists|No such file|No such process/.test(err)) throw new Trouble(complaint);
}
