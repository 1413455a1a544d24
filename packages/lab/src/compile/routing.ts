import type { Route } from "@hairpin/core/model/index.ts";
import {
  addressWord,
  deviceWord,
  type Line,
  lineOf,
  macWord,
  numberWord,
  type Word,
  words,
} from "@hairpin/core/model/word.ts";
import type { LabStack } from "../plan.ts";
import { attempt, type Refusal } from "./refusal.ts";
import { neighbourWords, rangeWord, routeWords, ruleWords } from "./route.ts";

/** A line of a batch. */
export interface BatchLine {
  readonly line: Line;
  /** The same with `onlink`, for a gateway the kernel does not find on the link. */
  readonly onlink?: Line;
}

const byGateway = (route: Route): boolean => route.nexthops.some((hop) => hop.gateway !== undefined);

function routeLines({ name: stack, ...from }: LabStack, refused: Refusal[]): readonly BatchLine[] {
  const lines: BatchLine[] = [];
  const wanted = (route: Route): boolean => route.family === 4 || from.ipv6;
  for (const route of from.removedRoutes.filter(wanted)) {
    attempt(refused, { stack, what: "a route to remove", origin: route.origin }, () => {
      lines.push({ line: lineOf(words`route del ${routeWords(route)}`) });
    });
  }
  const ordered = [...from.routes.filter((r) => !byGateway(r)), ...from.routes.filter(byGateway)];
  for (const route of ordered.filter(wanted)) {
    attempt(refused, { stack, what: "a route", origin: route.origin }, () => {
      const line = lineOf(words`route append ${routeWords(route)}`);
      const onlink = () => lineOf(words`route append ${routeWords(route, { onlink: true })}`);
      lines.push(byGateway(route) ? { line, onlink: onlink() } : { line });
    });
  }
  return lines;
}

const isDefaultRule = (words: string): boolean =>
  ["pref 0 from all lookup 255", "pref 32766 from all lookup 254", "pref 32767 from all lookup 253"].includes(words);

/** Of one family: `ip rule` takes `from all` for IPv4 unless the whole batch is run with -6. */
export function ruleLines(stack: LabStack, refused: Refusal[], family: 4 | 6): readonly Line[] {
  const rules = stack.rules?.filter((rule) => rule.family === family);
  if (rules === undefined) return [];
  const lines: Line[] = [];
  const args: (readonly Word[])[] = [];
  for (const rule of rules) {
    attempt(refused, { stack: stack.name, what: `rule ${rule.preference}`, origin: rule.origin }, () => {
      args.push(ruleWords(rule));
    });
  }
  for (const standard of family === 4 ? [0, 32766, 32767] : [0, 32766]) {
    const there = args.some((w) => isDefaultRule(w.join(" ")) && w[1] === String(standard));
    if (!there) lines.push(lineOf(words`rule del pref ${numberWord(standard)}`));
  }
  for (const rule of args) if (!isDefaultRule(rule.join(" "))) lines.push(lineOf(words`rule add ${rule}`));
  return lines;
}

/** With IPv6 devices speak as soon as they are up (MLD, also through tunnels), and who hears them learns: that is forgotten. */
export const forgetNeighbours = lineOf(words`neigh flush all`);

export function neighbourLines(stack: LabStack, refused: Refusal[]): readonly Line[] {
  const lines: Line[] = stack.ipv6 ? [forgetNeighbours] : [];
  for (const neighbour of stack.neighbours) {
    attempt(refused, { stack: stack.name, what: "a neighbour", origin: neighbour.origin }, () => {
      lines.push(lineOf(words`neigh replace ${neighbourWords(neighbour)}`));
    });
  }
  return lines;
}

export function bridgeLines(stack: LabStack, refused: Refusal[]): readonly Line[] {
  const lines: Line[] = [];
  for (const entry of stack.fdb) {
    attempt(refused, { stack: stack.name, what: "a forwarding entry", origin: entry.origin }, () => {
      const argv: Word[] = [...words`fdb append ${macWord(entry.mac)} dev ${deviceWord(entry.device)}`];
      if (entry.destination !== undefined) argv.push(...words`dst ${addressWord(entry.destination)}`);
      if (entry.vni !== undefined) argv.push(...words`vni ${numberWord(entry.vni)}`);
      if (entry.port !== undefined) argv.push(...words`port ${numberWord(entry.port)}`);
      if (entry.vlan !== undefined) argv.push(...words`vlan ${numberWord(entry.vlan)}`);
      const own = entry.flags.includes("self") || entry.destination !== undefined;
      argv.push(...(own ? words`self` : words`master`));
      argv.push(...(entry.flags.includes("static") ? words`static` : words`permanent`));
      lines.push(lineOf(argv));
    });
  }
  for (const vlan of stack.bridgeVlans) {
    attempt(refused, { stack: stack.name, what: "a bridge VLAN", origin: vlan.origin }, () => {
      const said: Word[] = [...words`vlan add vid ${rangeWord(vlan)} dev ${deviceWord(vlan.device)}`];
      if (vlan.pvid) said.push(...words`pvid`);
      if (vlan.untagged) said.push(...words`untagged`);
      if (stack.devices.some((d) => d.name === vlan.device && d.kind === "bridge")) said.push(...words`self`);
      lines.push(lineOf(said));
    });
  }
  return lines;
}

/** Routes, then IPv4 rules: the former see the rules the kernel starts with. */
export const routingLines = (stack: LabStack, refused: Refusal[]): readonly BatchLine[] => [
  ...routeLines(stack, refused),
  ...ruleLines(stack, refused, 4).map((line) => ({ line })),
];
