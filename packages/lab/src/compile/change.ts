import {
  chainWord,
  deviceWord,
  type Input,
  inputOf,
  type Line,
  lineOf,
  numberWord,
  oneOf,
  type Word,
  words,
} from "@hairpin/core/model/word.ts";
import { familyOf } from "@hairpin/core/net/index.ts";
import type { SysctlWrite, ToolRun } from "../executor/protocol.ts";
import type { Change, ObserveOptions } from "../plan.ts";
import { addressWords } from "./device-state.ts";
import { entryLine } from "./ipset.ts";
import { serverName, serverWords, serviceWords } from "./ipvs.ts";
import { COMMIT, isObserved, observerLine, tableHead } from "./netfilter.ts";
import { familyFlag, neighbourWords, routeWords, ruleWords } from "./route.ts";
import { ruleWords as filterRule } from "./rule.ts";
import { sysctlWrite } from "./sysctls.ts";

export type CompiledChange =
  | { readonly kind: "sysctl"; readonly write: SysctlWrite }
  | { readonly kind: "tool"; readonly run: ToolRun };

/** Throws Unspeakable or BadWord for what may not be passed on. */
export function compileChange(stack: string, change: Change, observe: ObserveOptions): CompiledChange {
  const tool = (name: ToolRun["tool"], args: readonly Word[], stdin?: Input): CompiledChange => ({
    kind: "tool",
    run: { stack, tool: name, args, ...(stdin === undefined ? {} : { stdin }) },
  });
  switch (change.kind) {
    case "sysctl":
      return { kind: "sysctl", write: sysctlWrite([change.key, change.value]) };
    case "route": {
      const verb = change.action === "add" ? words`append` : words`del`;
      return tool("ip", words`${familyFlag(change.route.family)} route ${verb} ${routeWords(change.route)}`);
    }
    case "rule": {
      const verb = change.action === "add" ? words`add` : words`del`;
      return tool("ip", words`${familyFlag(change.rule.family)} rule ${verb} ${ruleWords(change.rule)}`);
    }
    case "address": {
      const verb = change.action === "add" ? words`add` : words`del`;
      const family = familyFlag(familyOf(change.address.prefix.address));
      return tool("ip", words`${family} address ${verb} ${addressWords(change.device, change.address)}`);
    }
    case "link":
      return tool("ip", words`link set dev ${deviceWord(change.device)} ${change.up ? words`up` : words`down`}`);
    case "neighbour": {
      const verb = change.action === "add" ? words`replace` : words`del`;
      return tool("ip", words`neigh ${verb} ${neighbourWords(change.neighbour)}`);
    }
    case "iptables": {
      const program = change.family === 6 ? "ip6tables" : "iptables";
      const input = inputOf([tableHead(change.table), ...editLines(stack, change, observe), COMMIT]);
      const backend: "legacy" | "nft" = oneOf(change.backend, ["legacy", "nft"]);
      return tool(`${program}-${backend}-restore`, words`--noflush -w`, input);
    }
    case "ipset": {
      const verb = change.action === "add" ? "add" : "del";
      return tool("ipset", words`restore`, inputOf([entryLine(verb, change.set, change.entry)]));
    }
    case "ipvs": {
      const verb = { add: words`-a`, edit: words`-e`, delete: words`-d` }[change.action];
      const server = change.action === "delete" ? serverName(change.server) : serverWords(change.server);
      return tool("ipvsadm", words`${verb} ${serviceWords(change.service)} ${server}`);
    }
    case "conntrack-flush":
      return tool("conntrack", words`-F`);
  }
}

function editLines(
  stack: string,
  change: Change & { readonly kind: "iptables" },
  observe: ObserveOptions,
): readonly Line[] {
  const { edit, table, family, backend } = change;
  const chain = chainWord(edit.chain);
  const observed = isObserved(stack, table, chain, observe);
  switch (edit.kind) {
    case "append":
      return [lineOf(words`-A ${chain} ${filterRule(edit.rule, family)}`)];
    case "delete":
      return [lineOf(words`-D ${chain} ${filterRule(edit.rule, family)}`)];
    case "insert": {
      const position = numberWord(edit.position + (observed ? 1 : 0));
      return [lineOf(words`-I ${chain} ${position} ${filterRule(edit.rule, family)}`)];
    }
    case "flush": {
      const emptied = lineOf(words`-F ${chain}`);
      return observed ? [emptied, observerLine(backend, { name: table, family }, chain)] : [emptied];
    }
  }
}
