import type { World } from "../../model/index.ts";
import { protocolName } from "../../net/index.ts";
import { knownServices } from "../../trace/index.ts";
import { SOURCE_KINDS, type SourceKind } from "../flow.ts";
import { matchesGlob } from "../glob.ts";
import type { Wanted } from "../plan.ts";
import { TARGET_WORDS } from "../selection.ts";
import type { Sweep, SweptClass } from "../swept.ts";
import type { Expectation } from "./expectation.ts";
import type { Found } from "./held.ts";
import { wayOf } from "./meant.ts";

const KINDS: readonly string[] = SOURCE_KINDS;
const WORDS: readonly string[] = TARGET_WORDS;
const SERVICES = /^svc\/([^:]+)(?::(\d+))?$/;
/** With more words for targets everything is asked: a cluster's own recording names each of its Services. */
const MOST_WORDS = 40;

/** A line about all sources of a kind and whole Services: a sweep's class is meant by it or is not, never a part of one. */
export const isOfKinds = ({ from, to, node, seesClientAddress, viaNode }: Expectation): boolean =>
  KINDS.includes(from) &&
  node === undefined &&
  seesClientAddress === undefined &&
  viaNode === undefined &&
  (SERVICES.test(to) || WORDS.includes(to));

/** What a sweep has to ask for these lines. */
export function wantedFor(lines: readonly Expectation[]): Wanted {
  const from = [...new Set(lines.map((l) => l.from))];
  const to = [...new Set(lines.map((l) => l.to))];
  return {
    ...(!(from.includes("pod") && from.includes("node")) && { from }),
    ...(to.length <= MOST_WORDS && { to }),
  };
}

const NOTHING_SEEN: Found["seen"] = { clientAddress: null, addresses: [], nodes: [] };

/** The classes of a sweep that a line means. */
export class SweptKinds {
  readonly #classes: readonly SweptClass[];
  readonly #byService = new Map<string, SweptClass[]>();
  /** A Service's own ports, by its node ports. */
  readonly #ports = new Map<string, number>();

  constructor(world: World, { classes }: Pick<Sweep, "classes">) {
    this.#classes = classes;
    for (const c of classes) {
      const { service } = c.to;
      if (service === null) continue;
      const known = this.#byService.get(service);
      if (known === undefined) this.#byService.set(service, [c]);
      else known.push(c);
    }
    for (const { namespace, name, ports } of knownServices(world))
      for (const { port, protocol, nodePort } of ports)
        if (nodePort !== undefined) this.#ports.set(`${namespace}/${name} ${protocolName(protocol)} ${nodePort}`, port);
  }

  found(line: Expectation): readonly Found[] {
    const { from, to, proto, family } = line;
    const [, service, port] = SERVICES.exec(to) ?? [];
    const near = service === undefined || /[*?]/.test(service) ? this.#classes : (this.#byService.get(service) ?? []);
    return near
      .filter(
        (c) =>
          isFrom(from, c.from.kind) &&
          (proto === undefined || proto === c.proto) &&
          (family === undefined || family === c.family) &&
          (wayOf(line, c.from.kind) ?? c.to.via) === c.to.via &&
          (service === undefined ? isOfWord(to, c) : this.#isAsked(service, port, c)),
      )
      .map(({ example, flows, ...answer }) => ({ asked: example, flows, answer, seen: NOTHING_SEEN }));
  }

  #isAsked(service: string, port: string | undefined, { to, proto }: SweptClass): boolean {
    if (to.kind === "pod" || to.kind === "kubelet" || to.service === null || !matchesGlob(service, to.service))
      return false;
    if (port === undefined || Number(port) === to.port) return true;
    return to.via === "nodeport" && this.#ports.get(`${to.service} ${proto} ${to.port}`) === Number(port);
  }
}

/** A pod that asks its own Service is a pod, and somebody outside comes by a load balancer, too. */
const isFrom = (word: string, kind: SourceKind): boolean =>
  word === kind || (word === "pod" && kind === "endpoint") || (word === "external" && kind === "loadbalancer");

const isOfWord = (word: string, { to: { kind, via } }: SweptClass): boolean =>
  word === kind || word === via || (word === "service" && kind !== "pod" && kind !== "kubelet");
