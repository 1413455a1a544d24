import type { Device } from "../../model/index.ts";
import { formatAddress, isIpv4 } from "../../net/index.ts";
import type { Facts } from "../facts.ts";
import type { Dump } from "./dump.ts";

/** What tells a machine from another: the MAC and the addresses of its network cards, by name. */
interface Card {
  readonly mac?: string;
  readonly addresses: ReadonlySet<string>;
}

interface Machine {
  readonly name: string;
  readonly cards: Map<string, Card>;
}

/** Bridges, tunnels and dummies have the same addresses on many machines; cards have not. */
const CARD = /^(?:eth|en[opsx]|em\d|bond|team|p\d|ib\d|wl)/;

/**
 * In one text without names, a card whose MAC and addresses are not those it had before is another machine's: this dump, and what
 * follows it, is not of the machine before. Undefined: of whom it was taken for.
 */
export function otherMachines(dumps: readonly Dump[]): readonly (string | undefined)[] {
  const known = new Map<string, Machine[]>();
  const current = new Map<string, Machine>();
  return dumps.map((dump) => {
    if (dump.cluster || dump.stack !== undefined) return undefined;
    const key = `${dump.file}\n${dump.node.value}`;
    const machines = known.get(key) ?? [{ name: dump.node.value, cards: new Map() }];
    known.set(key, machines);
    const before = current.get(key) ?? machines[0]!;
    const cards = cardsOf(dump.reading.facts);
    const here = isAnother(before, cards) ? (machines.find((m) => isSame(m, cards)) ?? add(machines, cards)) : before;
    for (const [name, card] of cards) here.cards.set(name, joined(here.cards.get(name), card));
    current.set(key, here);
    return dump.node.by === "default" && here !== machines[0] ? here.name : undefined;
  });
}

function add(machines: Machine[], cards: ReadonlyMap<string, Card>): Machine {
  const [name] = [...cards.values()].flatMap((c) => [...c.addresses]);
  const machine = { name: name ?? `machine-${machines.length + 1}`, cards: new Map<string, Card>() };
  machines.push(machine);
  return machine;
}

const joined = (a: Card | undefined, b: Card): Card => {
  const mac = b.mac ?? a?.mac;
  return { ...(mac !== undefined && { mac }), addresses: new Set([...(a?.addresses ?? []), ...b.addresses]) };
};

const isAnother = (machine: Machine, cards: ReadonlyMap<string, Card>): boolean =>
  comparisons(machine, cards).includes("other") && !isSame(machine, cards);

const isSame = (machine: Machine, cards: ReadonlyMap<string, Card>): boolean =>
  comparisons(machine, cards).includes("same");

const comparisons = (machine: Machine, cards: ReadonlyMap<string, Card>): readonly ("same" | "other" | "open")[] =>
  [...cards].map(([name, card]) => compare(machine.cards.get(name), card));

function compare(a: Card | undefined, b: Card): "same" | "other" | "open" {
  if (a === undefined) return "open";
  if (a.mac !== undefined && a.mac === b.mac) return "same";
  if ([...b.addresses].some((address) => a.addresses.has(address))) return "same";
  const otherMac = a.mac !== undefined && b.mac !== undefined;
  return otherMac || (a.addresses.size > 0 && b.addresses.size > 0) ? "other" : "open";
}

function cardsOf(facts: readonly Facts[]): ReadonlyMap<string, Card> {
  const cards = new Map<string, Card>();
  const note = (name: string, card: Card): void => {
    if (CARD.test(name)) cards.set(name, joined(cards.get(name), card));
  };
  for (const fact of facts) {
    if (fact.kind === "devices") for (const d of fact.devices) note(d.name, cardOf(d));
    // The kernel's own route of a network names the address that the card has in it.
    if (fact.kind === "routes")
      for (const { protocol, prefSrc: source, nexthops } of fact.routes)
        if (protocol === "kernel" && source !== undefined && isIpv4(source))
          for (const { device } of nexthops)
            if (device !== undefined) note(device, { addresses: new Set([formatAddress(source)]) });
  }
  return cards;
}

const cardOf = ({ mac, addresses }: Device): Card => ({
  ...(mac !== undefined && { mac }),
  addresses: new Set(addresses.flatMap(({ prefix: { address } }) => (isIpv4(address) ? [formatAddress(address)] : []))),
});
