import {
  familiesOf,
  isSince,
  type Programmed,
  type ProxyInput,
  type ProxyView,
  programme,
  viewOf,
} from "../../kubernetes/index.ts";
import {
  type Chain,
  chainNamed,
  type IptablesTable,
  isServiceChain,
  KUBE_IPVS0,
  type KubernetesEndpoints,
  type KubernetesService,
  type Rule,
} from "../../model/index.ts";
import { append } from "../../net/append.ts";
import { type Family, formatAddress, isHostMask } from "../../net/index.ts";
import { printRule } from "../../parse/iptables/index.ts";
import type { Actual } from "./actual.ts";
import type { Expectation } from "./input.ts";

/** So many are kept to hold others against. */
const MOST_KEPT = 8;

interface Right {
  readonly actual: Actual;
  readonly expectation: Expectation;
  readonly own: readonly Programmed[];
}

/**
 * Nodes on which nothing is otherwise than it should be. Of another whose tables have their chains from the same text, only those are looked at in
 * which it differs from one of them: whether that is what kube-proxy writes otherwise there. All of its rules need not be read for it.
 */
export class RightNodes {
  readonly #kept: Right[] = [];

  /** Nothing is otherwise there either; false: not known. */
  isLikeOne(actual: Actual, expectation: Expectation): boolean {
    if (this.#kept.length === 0 || !isPlain(actual, expectation)) return false;
    const own = ownOf(expectation.input);
    return this.#kept.some((right) => isLike(right, { actual, expectation, own }));
  }

  note(actual: Actual, expectation: Expectation): void {
    if (this.#kept.length < MOST_KEPT && isPlain(actual, expectation))
      this.#kept.push({ actual, expectation, own: ownOf(expectation.input) });
  }
}

/** Nothing but rules of iptables, known as text, and a release that chooses endpoints as today. */
const isPlain = ({ tables, sets, servers, nft, devices }: Actual, { input }: Expectation): boolean =>
  input.config.mode === "iptables" &&
  isSince(input.version, 24) &&
  tables.every((t) => t.unread !== undefined) &&
  nft.length === 0 &&
  (sets?.items.length ?? 0) === 0 &&
  (servers?.items.length ?? 0) === 0 &&
  !devices.some((d) => d.name === KUBE_IPVS0);

const byServices = new WeakMap<
  readonly KubernetesService[],
  WeakMap<readonly KubernetesEndpoints[], readonly KubernetesService[]>
>();

/** Services of which kube-proxy may write something else on another node. */
function differingIn({ services, endpoints }: ProxyInput): readonly KubernetesService[] {
  let known = byServices.get(services);
  if (known === undefined) {
    known = new WeakMap();
    byServices.set(services, known);
  }
  let made = known.get(endpoints);
  if (made === undefined) {
    const differs = new Set<string>();
    const seen = new Set<string>();
    for (const { namespace, service, endpoints: list } of endpoints)
      for (const { addresses, forZones = [], forNodes = [] } of list) {
        const name = `${namespace}/${service}`;
        const address = `${name} ${addresses.map(formatAddress).join()}`;
        // Of one that stands there twice the node's own is taken.
        if (forZones.length > 0 || forNodes.length > 0 || seen.has(address)) differs.add(name);
        seen.add(address);
      }
    made = services.filter(
      (s) =>
        s.externalTrafficPolicy === "Local" ||
        s.internalTrafficPolicy === "Local" ||
        // Whether the node itself may ask is written for each.
        (s.loadBalancerSourceRanges?.length ?? 0) > 0 ||
        differs.has(`${s.namespace}/${s.name}`),
    );
    known.set(endpoints, made);
  }
  return made;
}

/** What kube-proxy writes of these Services on the node. */
function ownOf(input: ProxyInput): readonly Programmed[] {
  const made = programme({ ...input, services: differingIn(input) });
  return made.kind === "programmed" ? made.families : [];
}

const withoutOrigin = (value: unknown): string =>
  JSON.stringify(value, (key, v: unknown) => (/origins?$/i.test(key) ? undefined : v)) ?? "";

/** What of its node kube-proxy goes by, whatever Services there are. */
function setting({ input, complete, configured, likely }: Expectation): string {
  const views = familiesOf(input).map((family): unknown => {
    const { detector, nodePortAddresses }: ProxyView = viewOf({ ...input, services: [] }, family);
    return [detector, nodePortAddresses];
  });
  return withoutOrigin([complete, configured, likely, input.config, input.version, views]);
}

function isLike(right: Right, other: Right): boolean {
  const { actual: a, expectation: was } = right;
  const { actual: b, expectation: is } = other;
  if (was.input.services !== is.input.services || was.input.endpoints !== is.input.endpoints) return false;
  if (was.input.pods !== is.input.pods || setting(was) !== setting(is)) return false;
  // Jumps of node ports that not all addresses take are for those that do.
  if (familiesOf(is.input).some((f) => !viewOf({ ...is.input, services: [] }, f).nodePortAddresses.matchAll))
    return false;
  const keys = new Set([...right.own, ...other.own].flatMap((p) => p.sysctls.map((s) => s.key)));
  for (const key of keys) if (a.sysctls.get(key)?.value !== b.sysctls.get(key)?.value) return false;
  if (a.tables.length !== b.tables.length) return false;
  return a.tables.every((table, i) => {
    const there = b.tables[i]!;
    const head = ({ name, family, backend, extent }: IptablesTable): string => `${name} ${family} ${backend} ${extent}`;
    return (
      head(table) === head(there) &&
      table.unread!.home === there.unread!.home &&
      isLikeTable(table, there, chainsOf(right.own, table), chainsOf(other.own, table))
    );
  });
}

const chainsOf = (own: readonly Programmed[], { name, family }: IptablesTable): ReadonlyMap<string, Chain> =>
  new Map(
    own
      .filter((p) => p.family === family)
      .flatMap((p) => p.tables.filter((t) => t.name === name).flatMap((t) => t.chains))
      .map((c) => [c.name, c]),
  );

/** Whether the second differs from the first as what should be on it differs. */
function isLikeTable(
  first: IptablesTable,
  second: IptablesTable,
  shouldFirst: ReadonlyMap<string, Chain>,
  shouldSecond: ReadonlyMap<string, Chain>,
): boolean {
  const lines = (chain: Chain | undefined): Lines =>
    chain?.rules.map((rule) => ({ text: meantBy(rule, chain.name, first.family), guard: guardOf(rule) }));
  const names = new Set([
    ...first.unread!.apart(),
    ...second.unread!.apart(),
    ...shouldFirst.keys(),
    ...shouldSecond.keys(),
  ]);
  for (const name of names) {
    const [was, is] = [chainNamed(first, name), chainNamed(second, name)];
    const [due, dueNow] = [lines(shouldFirst.get(name)), lines(shouldSecond.get(name))];
    const isSame = was === is || (was?.unread !== undefined && was.unread.lineage === is?.unread?.lineage);
    if (isSame && (due && inOneOrder(due)) === (dueNow && inOneOrder(dueNow))) continue;
    if (was?.policy !== is?.policy || (was === undefined) !== (due === undefined)) return false;
    if (!isChangedAs(lines(was), lines(is), due, dueNow, isServiceChain(name))) return false;
  }
  return true;
}

/** A rule as it is printed, and whom alone it is for: packets to another address, or to another port, never match it. */
interface Line {
  readonly text: string;
  readonly guard: { readonly address: string | undefined; readonly port: string | undefined };
}
type Lines = readonly Line[] | undefined;

/** A rule without what does nothing: with many endpoints in the cluster comments are left out. */
const meantBy = (rule: Rule, chain: string, family: Family): string =>
  printRule({ ...rule, matches: rule.matches.filter((m) => m.kind !== "comment") }, chain, family).replace(
    /\[\d+:\d+\]/g,
    "",
  );

function guardOf({ destination, protocol, matches }: Rule): Line["guard"] {
  const host =
    destination?.negated === false && isHostMask(destination.value.mask) ? destination.value.address : undefined;
  const ports = matches.flatMap((m) =>
    (m.kind === "tcp" || m.kind === "udp") && m.dport !== undefined ? m.dport : [],
  );
  const [port] = ports;
  const isOne = port?.negated === false && port.value.from === port.value.to && protocol?.negated === false;
  return {
    address: host === undefined ? undefined : formatAddress(host),
    port: isOne ? `${protocol.value} ${port.value.from}` : undefined,
  };
}

/** What tells the lines of a chain apart: destinations, where there are any. */
const guardIn = (lines: readonly Line[]): keyof Line["guard"] =>
  lines.some((l) => l.guard.address !== undefined) ? "address" : "port";

/**
 * Lines that no packet meets both of may stand in any order: kube-proxy writes Services in that of a Go map, another on each node. Between those that are
 * for everybody they are put in the order of whom they are for.
 */
function inOneOrder(lines: readonly Line[]): string {
  const by = guardIn(lines);
  const out: string[] = [];
  let segment: Line[] = [];
  const flush = (): void => {
    const guards = new Map<string, string[]>();
    for (const { guard, text } of segment) {
      const known = guards.get(guard[by]!);
      if (known === undefined) guards.set(guard[by]!, [text]);
      else known.push(text);
    }
    for (const guard of [...guards.keys()].sort()) append(out, guards.get(guard)!);
    segment = [];
  };
  for (const line of lines) {
    if (line.guard[by] !== undefined) segment.push(line);
    else {
      flush();
      out.push(line.text);
    }
  }
  flush();
  return out.join("\n");
}

/** `isOwn`: it is the chain of one Service or endpoint, of which lines that come are in their place among those that should be there. */
function isChangedAs(was: Lines, is: Lines, due: Lines, dueNow: Lines, isOwn: boolean): boolean {
  if (is === undefined || dueNow === undefined) return is === dueNow && isOwn;
  if (was === undefined || due === undefined) return isOwn && was === due && inOneOrder(is) === inOneOrder(dueNow);
  const [hadTo, hasTo, has] = [textsOf(due), textsOf(dueNow), textsOf(is)];
  const gone = new Set([...hadTo.keys()].filter((l) => !hasTo.has(l)));
  const come = new Set([...hasTo.keys()].filter((l) => !hadTo.has(l)));
  if (come.size > 0 && !isOwn && !areApart(come, is, hasTo)) return false;
  const had = textsOf(was);
  if (![...gone].every((l) => had.get(l) === 1) || ![...come].every((l) => has.get(l) === 1)) return false;
  const kept = was.filter((l) => !gone.has(l.text));
  const before = is.filter((l) => !come.has(l.text));
  if (inOneOrder(kept) !== inOneOrder(before)) return false;
  return inOneOrder(is.filter((l) => hasTo.has(l.text))) === inOneOrder(dueNow.filter((l) => has.has(l.text)));
}

/** Whether all lines that no packet for one of those that come is told apart from should be there, too, so that their places are known. */
function areApart(come: ReadonlySet<string>, lines: readonly Line[], due: ReadonlyMap<string, number>): boolean {
  const by = guardIn(lines);
  const guards = new Set(lines.filter((l) => come.has(l.text)).map((l) => l.guard[by]));
  const strange = lines.filter((l) => !due.has(l.text));
  return !guards.has(undefined) && strange.every((l) => l.guard[by] !== undefined && !guards.has(l.guard[by]));
}

/** How often each stands there. */
function textsOf(lines: readonly Line[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { text } of lines) times.set(text, (times.get(text) ?? 0) + 1);
  return times;
}
