import type { QuestionFault } from "../../model/faults/question-fault.ts";
import type { Stack, World } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { parseAddress } from "../../net/index.ts";
import { others } from "./near-names.ts";
import { knownServices } from "./services-by-rules.ts";

/**
 * Names as people type them, made what F and T are: a Service by its name alone or with its namespace, or as DNS and URLs have it; a pod or a
 * node by its bare name; a node by its address, and by any name where there is only one that did not say its own. Or why not.
 */
export type Canonical = { readonly ok: string } | { readonly error: QuestionFault };

const URL = /^([a-z][a-z0-9+.-]{0,20}):\/\/(?:[^@/?#]{0,200}@)?([^/?#]{1,300})/i;
const SCHEMES: Readonly<Record<string, number>> = lookup({ http: 80, https: 443, ws: 80, wss: 443 });
/** `name`, `name.namespace`, `name.namespace.svc.cluster.local`. */
const DNS =
  /^([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.svc(?:\.[a-z0-9.-]{1,200})?)?)?\.?$/i;
const PATH = /^([a-z0-9][a-z0-9.-]{0,252})\/([a-z0-9][a-z0-9.-]{0,252})$/i;

const full = (o: { readonly namespace: string; readonly name: string }): string => `${o.namespace}/${o.name}`;

/** T: `--to`. */
export function canonicalTo(world: World, to: string): Canonical {
  const [, scheme, authority] = URL.exec(to) ?? [];
  if (scheme !== undefined && authority !== undefined) {
    const hasPort = /\]?:\d{1,5}$/.test(authority);
    const port = SCHEMES[scheme.toLowerCase()];
    return canonicalTo(world, hasPort || port === undefined ? authority : `${authority}:${port}`);
  }
  if (to.includes("[") || parseAddress(to) !== undefined) return { ok: to };
  const colon = to.lastIndexOf(":");
  const [host, port] = colon < 0 ? [to, ""] : [to.slice(0, colon), to.slice(colon)];
  const named = canonicalHost(world, host, "to");
  return "ok" in named ? { ok: `${named.ok}${port}` } : named;
}

/** F: `--from`. */
export const canonicalFrom = (world: World, from: string): Canonical => canonicalHost(world, from, "from");

function canonicalHost(world: World, host: string, side: "from" | "to"): Canonical {
  if (host === "external" || parseAddress(host) !== undefined) return { ok: host };
  const [kind = "", ...rest] = host.split("/");
  const name = rest.join("/");
  if (rest.length > 0 && kind === "node") return node(world, name);
  if (rest.length === 1 && kind === "pod") return pod(world, name);
  if (rest.length > 0 && (kind === "svc" || kind === "pod" || kind === "stack")) return { ok: host };
  const found = candidates(world, host, side);
  if (found.length === 1) return { ok: found[0]! };
  if (found.length > 1)
    return { error: { kind: "several-so-called", name: `--${side} ${host}`, names: found.slice(0, 8) } };
  if (!DNS.test(host) && !PATH.test(host)) return { ok: host };
  return { error: { kind: "nobody-so-called", side, name: host, others: others(host, everybody(world, side)) } };
}

/** Whom a bare name may mean: Services (who ask nothing), pods, nodes, other stacks. */
function candidates(world: World, host: string, side: "from" | "to"): readonly string[] {
  const [, namespace, name] = PATH.exec(host) ?? [];
  const [, first, second] = DNS.exec(host) ?? [];
  const is = (o: { readonly namespace: string; readonly name: string }): boolean =>
    namespace === undefined
      ? o.name === first && (second === undefined || o.namespace === second)
      : o.namespace === namespace && o.name === name;
  const found = [
    ...(side === "to"
      ? knownServices(world)
          .filter(is)
          .map((s) => `svc/${full(s)}`)
      : []),
    ...world.kubernetes.pods.filter(is).map((p) => `pod/${full(p)}`),
    ...world.stacks.flatMap((s) =>
      s.name === host || (s.kind === "pod" && s.name.endsWith(`/${host}`))
        ? [s.kind === "pod" ? `pod/${s.name}` : s.kind === "node" ? `node/${s.name}` : `stack/${s.name}`]
        : [],
    ),
    ...world.kubernetes.nodes.filter((n) => n.name === host).map((n) => `node/${n.name}`),
  ];
  return [...new Set(found)];
}

function pod(world: World, name: string): Canonical {
  const known = podNames(world).filter((p) => p === name || p.endsWith(`/${name}`));
  if (known.length > 1) return { error: { kind: "several-so-called", name: `pod/${name}`, names: known.slice(0, 8) } };
  return { ok: known.length === 1 ? `pod/${known[0]}` : `pod/${name}` };
}

const podNames = (world: World): readonly string[] => [
  ...new Set([...world.kubernetes.pods.map(full), ...world.stacks.filter((s) => s.kind === "pod").map((s) => s.name)]),
];

const short = (name: string): string => name.split(".")[0]!.toLowerCase();

/** The machine told its name (`hostname`, `uname`), and it is another than this. */
const saysItsName = (shown: readonly Stack[], name: string): boolean =>
  shown.some(({ machine: { hostname } }) => hostname !== undefined && short(hostname) !== short(name));

/** A node by its name, by an address of it, or, where there is only one and it did not say its own name, by whatever it is called. */
function node(world: World, name: string): Canonical {
  const shown = world.stacks.filter((s) => s.kind === "node" && s.assumed === undefined);
  // Of some only annotations were pasted, and no name.
  const objects = world.kubernetes.nodes.filter((n) => n.name !== "");
  if (world.stacks.some((s) => s.name === name) || objects.some((n) => n.name === name)) return { ok: `node/${name}` };
  const address = parseAddress(name);
  if (address !== undefined) {
    const has = shown.find((s) => s.devices.items.some((d) => d.addresses.some((a) => a.prefix.address === address)));
    const known = has?.name ?? objects.find((n) => n.addresses.includes(address))?.name;
    if (known !== undefined) return { ok: `node/${known}` };
  }
  const names = [...new Set([...shown.map((s) => s.name), ...objects.map((n) => n.name)])];
  if (names.length === 1 && !saysItsName(shown, name)) return { ok: `node/${names[0]}` };
  return { error: { kind: "no-node", name, others: others(name, names) } };
}

/** Everybody who has a name, for whoever asks without one. */
function everybody(world: World, side: "from" | "to"): readonly string[] {
  return [
    ...(side === "to" ? knownServices(world).map((s) => `svc/${full(s)}`) : []),
    ...podNames(world).map((p) => `pod/${p}`),
    ...new Set([
      ...world.stacks.filter((s) => s.kind === "node" && s.assumed === undefined).map((s) => `node/${s.name}`),
      ...world.kubernetes.nodes.flatMap((n) => (n.name === "" ? [] : [`node/${n.name}`])),
    ]),
    ...world.stacks
      .filter((s) => s.kind !== "node" && s.kind !== "pod" && s.assumed === undefined)
      .map((s) => `stack/${s.name}`),
  ];
}

/** Nobody was named who asks: who could. */
export function noAsker(world: World): QuestionFault {
  const known = everybody(world, "from");
  return { kind: "no-asker", known: known.slice(0, 8), all: known.length };
}
