import type { Route } from "@hairpin/core/model/index.ts";
import type { LabStack } from "../plan.ts";
import { attempt, type Refusal } from "./refusal.ts";
import { neighbourWords, routeWords, ruleWords } from "./route.ts";
import { addressWord, line, macWord, nameWord, numberWord } from "./words.ts";

/** A line of a batch. */
export interface BatchLine {
  readonly line: string;
  /** The same with `onlink`, for a gateway the kernel does not find on the link. */
  readonly onlink?: string;
}

const byGateway = (route: Route): boolean => route.nexthops.some((hop) => hop.gateway !== undefined);

function routeLines(stack: LabStack, refused: Refusal[]): readonly BatchLine[] {
  const lines: BatchLine[] = [];
  const wanted = (route: Route): boolean => route.family === 4 || stack.ipv6;
  for (const route of stack.removedRoutes.filter(wanted)) {
    attempt(refused, stack.name, "a route to remove", () => {
      lines.push({ line: line("route", "del", routeWords(route)) });
    });
  }
  const ordered = [...stack.routes.filter((r) => !byGateway(r)), ...stack.routes.filter(byGateway)];
  for (const route of ordered.filter(wanted)) {
    attempt(refused, stack.name, "a route", () => {
      const plain = line("route", "append", routeWords(route));
      const onlink = () => line("route", "append", routeWords(route, { onlink: true }));
      lines.push(byGateway(route) ? { line: plain, onlink: onlink() } : { line: plain });
    });
  }
  return lines;
}

const isDefaultRule = (words: string): boolean =>
  ["pref 0 from all lookup 255", "pref 32766 from all lookup 254", "pref 32767 from all lookup 253"].includes(words);

/** Of one family: `ip rule` takes `from all` for IPv4 unless the whole batch is run with -6. */
export function ruleLines(stack: LabStack, refused: Refusal[], family: 4 | 6): readonly string[] {
  const rules = stack.rules?.filter((rule) => rule.family === family);
  if (rules === undefined) return [];
  const lines: string[] = [];
  const words: string[] = [];
  for (const rule of rules) {
    attempt(refused, stack.name, `rule ${rule.preference}`, () => words.push(line(ruleWords(rule))));
  }
  for (const standard of family === 4 ? [0, 32766, 32767] : [0, 32766]) {
    const there = words.some((w) => isDefaultRule(w) && w.startsWith(`pref ${standard} `));
    if (!there) lines.push(`rule del pref ${standard}`);
  }
  for (const text of words) if (!isDefaultRule(text)) lines.push(`rule add ${text}`);
  return lines;
}

function neighbourLines(stack: LabStack, refused: Refusal[]): readonly string[] {
  const lines: string[] = [];
  for (const neighbour of stack.neighbours) {
    attempt(refused, stack.name, "a neighbour", () => lines.push(line("neigh", "replace", neighbourWords(neighbour))));
  }
  return lines;
}

export function bridgeLines(stack: LabStack, refused: Refusal[]): readonly string[] {
  const lines: string[] = [];
  for (const entry of stack.fdb) {
    attempt(refused, stack.name, "a forwarding entry", () => {
      const words = ["fdb", "append", macWord(entry.mac), "dev", nameWord(entry.device)];
      if (entry.destination !== undefined) words.push("dst", addressWord(entry.destination));
      if (entry.vni !== undefined) words.push("vni", numberWord(entry.vni));
      if (entry.port !== undefined) words.push("port", numberWord(entry.port));
      if (entry.vlan !== undefined) words.push("vlan", numberWord(entry.vlan));
      words.push(entry.flags.includes("self") || entry.destination !== undefined ? "self" : "master");
      words.push(entry.flags.includes("static") ? "static" : "permanent");
      lines.push(line(words));
    });
  }
  for (const vlan of stack.bridgeVlans) {
    attempt(refused, stack.name, "a bridge VLAN", () => {
      const vid = vlan.from === vlan.to ? numberWord(vlan.from) : `${numberWord(vlan.from)}-${numberWord(vlan.to)}`;
      const words = ["vlan", "add", "vid", vid, "dev", nameWord(vlan.device)];
      if (vlan.pvid) words.push("pvid");
      if (vlan.untagged) words.push("untagged");
      if (stack.devices.some((d) => d.name === vlan.device && d.kind === "bridge")) words.push("self");
      lines.push(line(words));
    });
  }
  return lines;
}

/** Routes, then IPv4 rules, then static neighbours: those before see the rules the kernel starts with. */
export const routingLines = (stack: LabStack, refused: Refusal[]): readonly BatchLine[] => [
  ...routeLines(stack, refused),
  ...[...ruleLines(stack, refused, 4), ...neighbourLines(stack, refused)].map((line) => ({ line })),
];
