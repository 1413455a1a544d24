import { protocolName } from "../../net/index.ts";
import type { Group, Source, SourceKind, Target, Via } from "../flow.ts";
import { matchesGlob } from "../glob.ts";
import { type Flow, isSource, isTarget, type Plan } from "../plan.ts";
import type { Expectation } from "./expectation.ts";

/** By which of a Service's addresses: as `diagnose` takes a Service by its name. Undefined: by whichever. */
export function wayOf({ to, via }: Pick<Expectation, "to" | "via">, kind: SourceKind): Via | undefined {
  const inside = kind === "pod" || kind === "endpoint" || kind === "node";
  return (via as Via | undefined) ?? (to.startsWith("svc/") && inside ? "clusterip" : undefined);
}

/** The flows that a line means, group by group. */
export class Meant {
  readonly #plan: Plan;
  readonly #sources = new Map<string, ReadonlySet<Source>>();
  readonly #targets = new Map<string, readonly Group[]>();

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  *of(line: Expectation): Generator<Group & { readonly flows: () => Generator<Flow> }> {
    for (const group of this.#groups(line.to)) {
      const targets = group.targets.filter((target) => isAskedSo(line, group.kind, target));
      if (targets.length > 0) yield { ...group, flows: () => this.#flows(line, { ...group, targets }) };
    }
  }

  *#flows(line: Expectation, group: Group): Generator<Flow> {
    const { from, node } = line;
    for (const flow of this.#plan.flowsOf(group)) {
      const { source } = flow;
      if (node !== undefined && (source.node === null || !matchesGlob(node, source.node))) continue;
      if (this.#isSource(from, source)) yield flow;
    }
  }

  /** Names with globs are held against each source once. */
  #isSource(from: string, source: Source): boolean {
    if (source.kind === "endpoint" || source.kind === "loadbalancer") return isSource(from, source);
    let known = this.#sources.get(from);
    if (known === undefined) {
      known = new Set(this.#plan.sources.filter((s) => isSource(from, s)));
      this.#sources.set(from, known);
    }
    return known.has(source);
  }

  /** Groups with those of their targets that the word means. */
  #groups(to: string): readonly Group[] {
    let known = this.#targets.get(to);
    if (known === undefined) {
      known = this.#plan.groups.flatMap((group) => {
        const targets = group.targets.filter((target) => isTarget(to, target));
        return targets.length === 0 ? [] : [{ ...group, targets }];
      });
      this.#targets.set(to, known);
    }
    return known;
  }
}

function isAskedSo(line: Expectation, kind: SourceKind, target: Target): boolean {
  const { proto, family } = line;
  if (proto !== undefined && proto !== protocolName(target.protocol)) return false;
  if (family !== undefined && family !== target.family) return false;
  const way = wayOf(line, kind);
  return way === undefined || way === target.via;
}
