import type { IptablesTableName } from "@hairpin/core/model/index.ts";
import { familyOf } from "@hairpin/core/net/index.ts";
import { observerPrefix } from "../decode/nflog.ts";
import type { SysctlWrite, ToolRun } from "../executor/protocol.ts";
import type { Change, ObserveOptions } from "../plan.ts";
import { addressWords } from "./device-state.ts";
import { entryText, setWord } from "./ipset.ts";
import { serverWords, serviceWords } from "./ipvs.ts";
import { chainWord, isObserved, OBSERVER_GROUP, ruleText } from "./netfilter.ts";
import { familyFlag, neighbourWords, routeWords, ruleWords } from "./route.ts";
import { sysctlParts } from "./sysctls.ts";
import { nameWord } from "./words.ts";

export type CompiledChange =
  | { readonly kind: "sysctl"; readonly write: SysctlWrite }
  | { readonly kind: "tool"; readonly run: ToolRun };

/** Throws Unspeakable for what may not be passed on. */
export function compileChange(stack: string, change: Change, observe: ObserveOptions): CompiledChange {
  const tool = (name: ToolRun["tool"], args: readonly string[], stdin?: string): CompiledChange => ({
    kind: "tool",
    run: { stack, tool: name, args, ...(stdin === undefined ? {} : { stdin }) },
  });
  switch (change.kind) {
    case "sysctl":
      return { kind: "sysctl", write: [sysctlParts(change.key), change.value] };
    case "route": {
      const verb = change.action === "add" ? "append" : "del";
      return tool("ip", [familyFlag(change.route.family), "route", verb, ...routeWords(change.route)]);
    }
    case "rule": {
      const verb = change.action === "add" ? "add" : "del";
      return tool("ip", [familyFlag(change.rule.family), "rule", verb, ...ruleWords(change.rule)]);
    }
    case "address": {
      const verb = change.action === "add" ? "add" : "del";
      const family = familyOf(change.address.prefix.address);
      return tool("ip", [familyFlag(family), "address", verb, ...addressWords(change.device, change.address)]);
    }
    case "link":
      return tool("ip", ["link", "set", "dev", nameWord(change.device), change.up ? "up" : "down"]);
    case "neighbour": {
      const verb = change.action === "add" ? "replace" : "del";
      return tool("ip", ["neigh", verb, ...neighbourWords(change.neighbour)]);
    }
    case "iptables": {
      const program = change.family === 6 ? "ip6tables" : "iptables";
      const text = [`*${change.table}`, ...editLines(stack, change, observe), "COMMIT", ""].join("\n");
      return tool(`${program}-${change.backend}-restore`, ["--noflush", "-w"], text);
    }
    case "ipset": {
      const verb = change.action === "add" ? "add" : "del";
      return tool("ipset", ["restore"], `${verb} ${setWord(change.set)} ${entryText(change.entry)}\n`);
    }
    case "ipvs": {
      const verb = { add: "-a", edit: "-e", delete: "-d" }[change.action];
      const server = serverWords(change.server);
      return tool("ipvsadm", [verb, ...serviceWords(change.service), ...(verb === "-d" ? server.slice(0, 2) : server)]);
    }
    case "conntrack-flush":
      return tool("conntrack", ["-F"]);
  }
}

function editLines(
  stack: string,
  change: Change & { readonly kind: "iptables" },
  observe: ObserveOptions,
): readonly string[] {
  const { edit, table, family, backend } = change;
  const chain = chainWord(edit.chain);
  switch (edit.kind) {
    case "append":
      return [`-A ${chain} ${ruleText(edit.rule, tableOf(change))}`];
    case "delete":
      return [`-D ${chain} ${ruleText(edit.rule, tableOf(change))}`];
    case "insert": {
      const position = edit.position + (isObserved(stack, table, chain, observe) ? 1 : 0);
      return [`-I ${chain} ${position} ${ruleText(edit.rule, tableOf(change))}`];
    }
    case "flush": {
      const observer = `-A ${chain} -j NFLOG --nflog-group ${OBSERVER_GROUP} --nflog-prefix ${observerPrefix(backend, family, table, chain)}`;
      return [`-F ${chain}`, ...(isObserved(stack, table, chain, observe) ? [observer] : [])];
    }
  }
}

const tableOf = (change: { readonly table: IptablesTableName; readonly family: 4 | 6 }) => ({
  name: change.table,
  family: change.family,
});
