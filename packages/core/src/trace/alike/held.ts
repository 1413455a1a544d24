import type { World } from "../../model/index.ts";
import { formatAddress, ipv4Of, parseIpv4, uint32Of } from "../../net/index.ts";
import type { Branch, Leg } from "../explore/branch.ts";
import { trace } from "../index.ts";
import { type QuestionSpec, resolveQuestion } from "../question/resolve-question.ts";
import { regionOf } from "./region.ts";

/** A question of which the region is held to its word: to whom, and from whom where that is an address. */
export interface Asked extends QuestionSpec {
  readonly from: string;
  /** Without its port. */
  readonly to: string;
  /** ICMP has none. */
  readonly port?: number;
}

/** How much was asked, and which packets of the stated region came to another end, each with how it differs. */
export interface Held {
  readonly asked: number;
  readonly otherwise: readonly string[];
}

const NETWORKS = 6;

/**
 * Holds an answer to what it says of the packets for which it holds: of each network and each range of source ports the first, the last and
 * one between (`where`, from 0 to 1) are walked for themselves, and must end alike. For tests and soaks.
 */
export function heldTo(world: World, question: Asked, where: number): Held {
  const told = fatesOf(world, question);
  if (told === undefined) return { asked: 0, otherwise: [] };
  const to = parseIpv4(question.to);
  const region = to === undefined ? { dst: [] } : regionOf(world, specOf(question), to, new Map());
  const otherwise: string[] = [];
  let asked = 0;
  const hold = (what: string, fates: string | undefined, expected: string): void => {
    asked++;
    if (fates !== expected) otherwise.push(`${what}: ${fates} instead of ${expected}`);
  };
  for (const from of within(region.src ?? [], where))
    hold(`from ${from}`, fatesOf(world, { ...question, from })?.all, told.all);
  for (const other of within(region.dst, where))
    hold(`to ${other}`, fatesOf(world, { ...question, to: other })?.all, told.all);
  for (const { ranges, fate } of told.byPorts)
    for (const { from, to: last } of ranges)
      for (const sport of new Set([from, last, Math.round(from + where * (last - from))])) {
        asked++;
        const fates = fatesOf(world, { ...question, sport })?.byPorts.map((b) => b.fate);
        if (fates?.includes(fate) !== true) otherwise.push(`from port ${sport}: ${fates} without ${fate}`);
      }
  return { asked, otherwise };
}

const specOf = ({ port, to, ...rest }: Asked): QuestionSpec => ({
  ...rest,
  to: port === undefined ? to : `${to.includes(":") ? `[${to}]` : to}:${port}`,
});

interface Fates {
  /** With other names for the two that are asked about. */
  readonly all: string;
  readonly byPorts: readonly { readonly ranges: NonNullable<Branch["sourcePorts"]>; readonly fate: string }[];
}

function fatesOf(world: World, question: Asked): Fates | undefined {
  const { from, to } = question;
  const resolved = resolveQuestion(world, specOf(question));
  const called = (text: string): string =>
    text.replace(/\d+(?:\.\d+){3}/g, (a) => (a === from ? "CLIENT" : a === to ? "ASKED" : a));
  if (resolved.ok !== true) return { all: called(JSON.stringify(resolved)), byPorts: [] };
  const { branches, facts, overflow } = trace(resolved.world, resolved.question, { record: false });
  // Where not every branch was walked, which were is chance.
  if (overflow) return undefined;
  const told = branches.map(({ share, hypothesis, clientSees, errno, request, reply, data }) => [
    share,
    [...hypothesis],
    clientSees,
    errno,
    [request, reply, ...data].map(
      (leg) => leg && [...endOf(leg), formatAddress(leg.final.src), formatAddress(leg.final.dst)],
    ),
  ]);
  if (choosesBySourcePort(resolved.world, resolved.question.client))
    return { all: called(JSON.stringify([told, facts])), byPorts: [] };
  const byPorts = branches.flatMap(({ sourcePorts, clientSees, errno, request, reply }) =>
    sourcePorts === null || sourcePorts === undefined
      ? [{ ranges: [], fate: fate(clientSees, errno, request, reply) }]
      : [{ ranges: sourcePorts, fate: fate(clientSees, errno, request, reply) }],
  );
  return { all: called(JSON.stringify([told, facts])), byPorts };
}

/** A port that is asked for is known when the source is chosen (`ip rule … sport`), one that is drawn is not. */
const choosesBySourcePort = ({ stacks }: World, client: string): boolean =>
  stacks.some((s) => s.name === client && s.routingRules.items.some((r) => r.sport !== undefined));

const endOf = ({ what, disposition, stack, step, drop }: Leg): readonly unknown[] => [
  what,
  disposition,
  stack,
  step,
  drop,
];

/** What becomes of a conversation, whatever its ports are called. */
const fate = (
  clientSees: Branch["clientSees"],
  errno: Branch["errno"],
  request: Branch["request"],
  reply: Branch["reply"],
): string => JSON.stringify([clientSees, errno, [request, reply].map((leg) => leg && endOf(leg))]);

/** First, last and one between of each network. */
function within(networks: readonly string[], where: number): readonly string[] {
  return networks.slice(0, NETWORKS).flatMap((network) => {
    const [text = "", length] = network.split("/");
    const first = uint32Of(parseIpv4(text)!);
    const size = 2 ** (32 - Number(length));
    const between = first + Math.min(size - 1, Math.floor(where * size));
    return [...new Set([first, first + size - 1, between])].map((n) => formatAddress(ipv4Of(n)));
  });
}
