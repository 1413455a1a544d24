import { text } from "../messages/index.ts";
import type { CaseFile, CaseStack, StackKind } from "../model/index.ts";
import { type Dump, isObserved } from "../parse/index.ts";
import { isState, showsState } from "./dumped.ts";
import type { Ledger } from "./ledger.ts";

/** The dumps of one network namespace. */
export interface StackDumps {
  readonly name: string;
  readonly kind: StackKind;
  /** The node it runs on, where it is not a node itself; absent also where nobody said which. */
  readonly node?: string;
  readonly dumps: readonly Dump[];
  readonly stated?: CaseStack;
}

interface Group {
  readonly node: string;
  readonly inner?: string;
  readonly dumps: Dump[];
}

/** Which dumps belong together, and under which name. Objects of the cluster belong to no stack. */
export function groupDumps(
  dumps: readonly Dump[],
  caseFile: CaseFile | undefined,
  ledger: Ledger,
): readonly StackDumps[] {
  const groups = new Map<string, Group>();
  for (const dump of dumps) {
    if (dump.cluster) continue;
    const key = `${dump.node.value}\n${dump.stack?.value ?? ""}`;
    let group = groups.get(key);
    if (group === undefined) {
      group = { node: dump.node.value, ...(dump.stack === undefined ? {} : { inner: dump.stack.value }), dumps: [] };
      groups.set(key, group);
    }
    group.dumps.push(dump);
  }
  shareUnnamed(groups, ledger);
  const named = nameAll([...groups.values()].filter((g, _, all) => isStack(g, all)));
  const known = new Set(named.map((n) => n.name));
  const result = named.map(({ name, group }): StackDumps => {
    const stated = caseFile?.stacks.find((s) => s.name === name || s.name === group.inner);
    const node = stated?.node ?? (group.inner !== undefined && known.has(group.node) ? group.node : undefined);
    return {
      name,
      kind: stated?.kind ?? kindOf(group),
      ...(node === undefined ? {} : { node }),
      dumps: broken(group.dumps),
      ...(stated === undefined ? {} : { stated }),
    };
  });
  return [...result, ...statedOnly(caseFile, result)];
}

/** What kube-proxy and the like write alike on every node. Addresses and routes are each node's own. */
const ALIKE: ReadonlySet<string> = new Set([
  "iptables",
  "ipset",
  "ipvs",
  "sysctls",
  "iptables-commands",
  "nft",
  "not-read-yet",
]);
const kindsIn = (dump: Dump): readonly string[] => dump.reading.facts.map((f) => f.kind).filter(isState);

/**
 * Rules and sets shown without saying whose they are, in a text that names its nodes elsewhere: they are taken to hold for
 * every node of which nobody showed the like.
 */
function shareUnnamed(groups: Map<string, Group>, ledger: Ledger): void {
  const nodes = [...groups].filter(([, g]) => g.inner === undefined);
  const isUnnamed = (g: Group): boolean => g.dumps.every((d) => d.node.by === "default");
  const unnamed = nodes.find(([, g]) => isUnnamed(g));
  const others = nodes.map(([, g]) => g).filter((g) => !isUnnamed(g));
  if (unnamed === undefined || others.length === 0) return;
  const [key, { dumps }] = unnamed;
  if (
    !dumps.every((d) => d.reading.facts.every((f) => ALIKE.has(f.kind) || isObserved(f.kind))) ||
    !dumps.some(showsState)
  )
    return;
  groups.delete(key);
  const had = new Map(others.map((g) => [g, new Set(g.dumps.flatMap(kindsIn))]));
  for (const dump of dumps) {
    const kinds = kindsIn(dump);
    const takers = others.filter((g) => kinds.length > 0 && !kinds.some((k) => had.get(g)!.has(k)));
    const at = `${dump.file}:${dump.lines[0]}`;
    for (const group of takers) {
      group.dumps.push(dump);
      const taken = text("assume.dump-of", { what: dump.dialect.title, where: at, node: group.node });
      ledger.assume(`${group.node}/dump/${at}`, group.node, taken);
    }
  }
}

const NAMES_A_NODE: ReadonlySet<string> = new Set(["case.yaml", "folder"]);

/**
 * A node of which only captures or client output were given is one if somebody named it as such; a prompt above a curl proves a
 * client, and a pod of which nothing was shown is left to whoever asks for it.
 */
function isStack(group: Group, all: readonly Group[]): boolean {
  if (group.dumps.some(showsState)) return true;
  if (group.inner !== undefined) return false;
  if (group.dumps.some((d) => NAMES_A_NODE.has(d.node.by))) return true;
  const known = all.some((g) => g !== group && g.inner === undefined && g.dumps.some(showsState));
  return !known && group === all.find((g) => g.inner === undefined);
}

/** Dumps of pods of which nothing tells how they are set up, by the name they were entered by. */
export function barePods(dumps: readonly Dump[], stacks: readonly StackDumps[]): ReadonlyMap<string, readonly Dump[]> {
  const taken = new Set(stacks.flatMap((s) => s.dumps));
  const bare = new Map<string, readonly Dump[]>();
  for (const dump of dumps) {
    const pod = dump.cluster || taken.has(dump) ? undefined : dump.stack?.value;
    if (pod !== undefined) bare.set(pod, [...(bare.get(pod) ?? []), dump]);
  }
  return bare;
}

/** Process ids and container names may be the same on two nodes. */
function nameAll(groups: readonly Group[]): readonly { readonly name: string; readonly group: Group }[] {
  const names = groups.map((g) => g.inner ?? g.node);
  return groups.map((group, i) => {
    const unique = names.indexOf(names[i]!) === names.lastIndexOf(names[i]!);
    return { name: unique || group.inner === undefined ? names[i]! : `${group.node}/${group.inner}`, group };
  });
}

function kindOf(group: Group): StackKind {
  if (group.inner === undefined) return "node";
  return group.inner.startsWith("vm:") ? "vm" : "pod";
}

/** Stacks and nodes that case.yaml names and no dump is of. */
function statedOnly(caseFile: CaseFile | undefined, found: readonly StackDumps[]): readonly StackDumps[] {
  if (caseFile === undefined) return [];
  const names = new Set(found.map((f) => f.name));
  const stacks = caseFile.stacks
    .filter((s) => !names.has(s.name))
    .map(
      (stated): StackDumps => ({
        name: stated.name,
        kind: stated.kind,
        ...(stated.node === undefined ? {} : { node: stated.node }),
        dumps: [],
        stated,
      }),
    );
  for (const s of stacks) names.add(s.name);
  const nodes = caseFile.nodes.filter((n) => !names.has(n.name));
  return [...stacks, ...nodes.map((n): StackDumps => ({ name: n.name, kind: "node", dumps: [] }))];
}

/** The question is about the broken state: what was taken after the cure is left out where there is anything else. */
function broken(dumps: readonly Dump[]): readonly Dump[] {
  const after = dumps.filter((d) => d.context.moment?.value === "after");
  const rest = dumps.filter((d) => d.context.moment?.value !== "after");
  return after.length === 0 || !rest.some(showsState) ? dumps : rest;
}
