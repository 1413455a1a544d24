import type { RoutingRule, RuleAction } from "../../../model/index.ts";
import { lookup } from "../../../model/lookup.ts";
import { ANY4, familyOf, type PortRange, type Prefix, parsePrefix } from "../../../net/index.ts";
import { ipProtoOf } from "../ip-protocol.ts";
import type { Mutable } from "../lines.ts";
import { dscpOf, dsfieldOf, protocolName, tableOf } from "../names.ts";
import { numberOf, type WordCursor } from "../words.ts";

/** A rule while it is read: the action comes with its words, the preference perhaps never. */
export interface RuleDraft
  extends Omit<Mutable<RoutingRule>, "preference" | "family" | "action" | "unknown" | "origin"> {
  preference?: number;
  action?: RuleAction;
  unknown: string[];
}

export const emptyRule = (): RuleDraft => ({ not: false, unknown: [] });

/** `0x1/0xff`, `7`: mark and mask, 32 bits each. */
function markOf(text: string): { mark: number; mask?: number } | undefined {
  const slash = text.indexOf("/");
  const mark = numberOf(slash < 0 ? text : text.slice(0, slash));
  const mask = slash < 0 ? undefined : numberOf(text.slice(slash + 1));
  if (mark === undefined || mark > 0xffffffff) return undefined;
  if (slash < 0) return { mark };
  return mask === undefined || mask > 0xffffffff ? undefined : { mark, mask };
}

export function rangeOf(text: string, limit: number): PortRange | undefined {
  const dash = text.indexOf("-");
  const from = numberOf(dash < 0 ? text : text.slice(0, dash));
  const to = dash < 0 ? from : numberOf(text.slice(dash + 1));
  if (from === undefined || to === undefined || from > to || to > limit) return undefined;
  return { from, to };
}

/** `all`, `any`, `default` and `0/0` select everything and are left out, as the kernel does. */
function prefixOf(text: string): Prefix | "all" | undefined {
  if (text === "all" || text === "any" || text === "default" || text === "0/0" || text === "::/0") return "all";
  const prefix = parsePrefix(text);
  if (prefix !== undefined) return prefix.length === 0 ? "all" : prefix;
  // `from 0/8`: fib_rules prints an all-zero address as 0.
  const zero = /^0\/(\d{1,3})$/.exec(text);
  return zero === null || Number(zero[1]) > 32 ? undefined : { address: ANY4, length: Number(zero[1]) };
}

export type WordOutcome = "ok" | "bad-value" | "unknown";

/** Takes what belongs to a selector whose keyword was just taken. `bad-value`: the value was taken and is wrong. */
export function takeSelector(key: string, cursor: WordCursor, rule: RuleDraft): WordOutcome {
  switch (key) {
    case "not":
      rule.not = true;
      return "ok";
    case "from":
    case "to": {
      const prefix = prefixOf(cursor.take() ?? "");
      if (prefix === undefined) return "bad-value";
      if (prefix !== "all") rule[key] = prefix;
      return "ok";
    }
    case "tos": {
      const tos = dsfieldOf(cursor.take() ?? "");
      if (tos === undefined) return "bad-value";
      rule.tos = tos;
      return "ok";
    }
    case "dscp": {
      const text = cursor.take() ?? "";
      const dscp = dscpOf(text);
      if (dscp !== undefined) rule.dscp = dscp;
      else if (/^\w{1,6}\/\w{1,6}$/.test(text)) rule.unknown.push(`dscp ${text}`);
      else return "bad-value";
      return "ok";
    }
    case "fwmark": {
      const mark = markOf(cursor.take() ?? "");
      if (mark === undefined) return "bad-value";
      rule.fwmark = mark.mark;
      if (mark.mask !== undefined) rule.fwmask = mark.mask;
      return "ok";
    }
    case "iif":
    case "oif": {
      const device = cursor.take();
      if (device === undefined) return "bad-value";
      rule[key] = device;
      if (cursor.accept("[detached]")) {
        rule.detached = true;
        rule[key === "iif" ? "iifDetached" : "oifDetached"] = true;
      }
      return "ok";
    }
    case "uidrange": {
      const range = rangeOf(cursor.take() ?? "", 0xffffffff);
      if (range === undefined) return "bad-value";
      rule.uidRange = range;
      return "ok";
    }
    case "ipproto": {
      const number = ipProtoOf(cursor.take() ?? "");
      if (number === undefined) return "bad-value";
      rule.ipProto = number;
      return "ok";
    }
    case "sport":
    case "dport": {
      const text = cursor.take() ?? "";
      const range = rangeOf(text, 65535);
      if (range !== undefined) rule[key] = range;
      // A masked port (6.15 and later) is none of the model's selectors.
      else if (/^\w{1,6}\/\w{1,6}$/.test(text)) rule.unknown.push(`${key} ${text}`);
      else return "bad-value";
      return "ok";
    }
    case "tun_id": {
      const id = numberOf(cursor.take());
      if (id === undefined) return "bad-value";
      rule.tunId = id;
      return "ok";
    }
    case "suppress_prefixlength": {
      const length = numberOf(cursor.take());
      if (length === undefined || length > 128) return "bad-value";
      rule.suppressPrefixLength = length;
      return "ok";
    }
    case "suppress_ifgroup": {
      const group = cursor.take();
      if (group === undefined) return "bad-value";
      rule.suppressGroup = group === "0" ? "default" : group;
      return "ok";
    }
    case "proto": {
      const protocol = cursor.take();
      if (protocol === undefined) return "bad-value";
      rule.protocol = protocolName(protocol);
      return "ok";
    }
    case "realms": {
      const realms = cursor.take();
      if (realms === undefined) return "bad-value";
      rule.realms = realms;
      return "ok";
    }
    default:
      return "unknown";
  }
}

/** `ip -N` prints FR_ACT_* as numbers. */
const NUMBERED: Readonly<Record<string, string>> = lookup({ "6": "blackhole", "7": "unreachable", "8": "prohibit" });

/** Takes what belongs to an action. */
export function takeAction(word: string, cursor: WordCursor, rule: RuleDraft): WordOutcome {
  const key = NUMBERED[word] ?? word;
  switch (key) {
    case "lookup": {
      const table = cursor.take();
      if (table === undefined) return "bad-value";
      if (table === "[l3mdev-table]") {
        rule.l3mdev = true;
        rule.action ??= { kind: "lookup", table: 0 };
      } else rule.action = { kind: "lookup", table: tableOf(table) };
      return "ok";
    }
    case "goto": {
      const text = cursor.take();
      const target = numberOf(text);
      const unresolved = cursor.accept("[unresolved]");
      if (target !== undefined) rule.action = { kind: "goto", target, ...(unresolved ? { unresolved } : {}) };
      else if (text === "none") rule.action = { kind: "unknown", text: "goto none" };
      else return "bad-value";
      return "ok";
    }
    case "nop":
    case "blackhole":
    case "unreachable":
    case "prohibit":
      rule.action = { kind: key };
      return "ok";
    case "map-to":
    case "masquerade":
      rule.action = { kind: "unknown", text: key === "map-to" ? `map-to ${cursor.take() ?? ""}`.trimEnd() : key };
      return "ok";
    default:
      return "unknown";
  }
}

export function familyOfRule(rule: RuleDraft): 4 | 6 | undefined {
  const prefix = rule.from ?? rule.to;
  return prefix === undefined ? undefined : familyOf(prefix.address);
}
