import type { Change, PatchStep } from "../assemble/index.ts";
import { type Text, text } from "../messages/index.ts";
import { DOCKER_USER, isKubeName, KUBE_IPVS0, ownerOfChain, ownerOfSet, type World } from "../model/index.ts";
import { type Address, formatAddress } from "../net/index.ts";
import { shellWords } from "../parse/shell-words.ts";
import type { Branch, Exploration, Leg } from "../trace/index.ts";
import { breadthOf } from "./breadth.ts";
import type { Proof } from "./fix.ts";

const SCOPES = ["cost.scope.flow", "cost.scope.peer", "cost.scope.part", "cost.scope.node"] as const;

/** What a fix costs, from the walks before and after it and from what its commands name. */
export function costsOf(
  before: Exploration,
  proof: Proof,
  steps: readonly PatchStep[],
  unknown: readonly string[],
): readonly Text[] {
  const cluster = steps.some((s) => s.changes.some((c) => c.kind === "service"));
  const byHand = steps.filter((s) => s.changes.every((c) => c.kind !== "service"));
  const stacks = [...new Set(steps.map((s) => s.before.name))];
  const breadth = breadthOf(steps);
  return [
    ...clientAddress(before, proof.exploration),
    ...otherFlows(proof),
    ...extraHop(before, proof.exploration),
    ...(stacks.length === 0 ? [] : [text(SCOPES[breadth], { stacks })]),
    ...kept(steps),
    ...(cluster ? [text("cost.cluster")] : []),
    ...(byHand.length === 0 ? [] : [text("cost.reboot")]),
    ...rescheduling(before.world, steps),
    ...unknown.map((key) => text("cost.unknown_before", { key })),
  ];
}

const arrived = ({ branches }: Exploration): readonly Branch[] =>
  branches.filter((b) => b.request.disposition === "delivered");

/** Does the backend see the client's address? */
function clientAddress(before: Exploration, after: Exploration): readonly Text[] {
  const observed = (e: Exploration): readonly string[] => [
    ...new Set(arrived(e).map((b) => formatAddress(b.request.final.src))),
  ];
  const client = [...new Set(before.branches.flatMap((b) => sentFrom(b.request)))];
  const sent = new Set(after.branches.flatMap((b) => sentFrom(b.request)));
  const now = observed(after);
  if (now.length === 0 || client.length === 0) return [];
  if (now.every((a) => client.includes(a))) return [text("cost.client_kept", { client })];
  if (now.every((a) => sent.has(a))) return [text("cost.client_other", { seen: now, client })];
  const then = observed(before);
  const same = then.length > 0 && then.join() === now.join();
  return [text(same ? "cost.client_lost.before" : "cost.client_lost", { seen: now, client })];
}

const sentFrom = (leg: Leg): readonly string[] => {
  const sent = leg.steps.find((s) => s.kind === "send");
  return sent === undefined ? [] : [formatAddress(sent.packet.src)];
};

function otherFlows({ flowsChanged, flowsChecked, flowsBounded }: Proof): readonly Text[] {
  const broken = flowsChanged.filter((f) => f.before === "reachable" && f.after !== "reachable");
  const cured = flowsChanged.filter((f) => f.before !== "reachable" && f.after === "reachable");
  const rest = flowsChanged.length - broken.length - cured.length;
  return [
    ...(broken.length === 0
      ? []
      : [text("cost.breaks", { count: broken.length, flows: broken.slice(0, 3).map((f) => `${f.from} > ${f.to}`) })]),
    ...(cured.length === 0 ? [] : [text("cost.cures", { count: cured.length })]),
    ...(rest === 0 ? [] : [text("cost.changes", { count: rest })]),
    ...(flowsBounded ? [text("cost.not_all_checked", { checked: flowsChecked })] : []),
  ];
}

/** Nodes that a request crosses, in order. */
function nodesOf({ world, branches }: Exploration): readonly string[] {
  const nodes = new Set(world.stacks.filter((s) => s.kind === "node").map((s) => s.name));
  const paths = branches.map((b) => [...new Set(b.request.steps.map((s) => s.stack).filter((s) => nodes.has(s)))]);
  return paths.sort((a, b) => b.length - a.length)[0] ?? [];
}

function extraHop(before: Exploration, after: Exploration): readonly Text[] {
  const was = nodesOf({ ...before, branches: arrived(before).length > 0 ? arrived(before) : before.branches });
  const is = nodesOf(after);
  return is.length > was.length && is.length > 1 ? [text("cost.extra_hop", { nodes: is })] : [];
}

/** Who takes it back, and when. */
function kept(steps: readonly PatchStep[]): readonly Text[] {
  const owners = new Set(steps.flatMap((s) => s.changes.map(takenBackBy)));
  return [
    ...(owners.has("kube-proxy") ? [text("cost.sync.kube_proxy")] : []),
    ...(owners.has("calico") ? [text("cost.sync.calico")] : []),
    ...(owners.has("docker") ? [text("cost.sync.docker")] : []),
  ];
}

export function takenBackBy(change: Change): "kube-proxy" | "calico" | "docker" | undefined {
  switch (change.kind) {
    case "iptables": {
      const { operation, backend } = change.command;
      const chain = "chain" in operation ? (operation.chain ?? "") : "";
      // Who flushes a back end by name means the one that kube-proxy no longer writes to.
      const abandoned = operation.kind === "flush" && backend !== "unknown";
      if (isKubeName(chain)) return abandoned ? undefined : "kube-proxy";
      const owner = ownerOfChain(chain);
      return owner === "calico" || (owner === "docker" && chain !== DOCKER_USER) ? owner : undefined;
    }
    case "nft":
      return /\bkube-proxy\b/.test(change.command) ? "kube-proxy" : undefined;
    case "ipvs":
      return "kube-proxy";
    case "ipset": {
      const { operation: o } = change.command;
      const name = "set" in o ? (o.set ?? "") : "";
      return ownerOfSet(name);
    }
    case "ip":
      return change.command.kind === "address" && change.command.device === KUBE_IPVS0 ? "kube-proxy" : undefined;
    default:
      return undefined;
  }
}

/** A pod's address or its veth is gone when the pod is. */
function rescheduling(world: World, steps: readonly PatchStep[]): readonly Text[] {
  const pods = podAddresses(world);
  const veths = new Set(
    world.stacks.flatMap((s) =>
      s.kind === "node" ? s.devices.items.filter((d) => d.kind === "veth").map((d) => d.name) : [],
    ),
  );
  const names = new Set<string>();
  for (const { command } of steps)
    for (const { text: word } of shellWords(command)) {
      const bare = word.replace(/[/:].*$/, "");
      if (pods.has(bare) && !/\/(?!32)\d/.test(word)) names.add(bare);
      else if (veths.has(word)) names.add(word);
    }
  return names.size === 0 ? [] : [text("cost.rescheduling", { names: [...names] })];
}

function podAddresses(world: World): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (a: Address): void => void found.add(formatAddress(a));
  for (const stack of world.stacks) {
    if (stack.kind === "pod") for (const d of stack.devices.items) for (const a of d.addresses) add(a.prefix.address);
    // What kube-proxy would have programmed has the objects' own.
    if (stack.fromObjects !== true) for (const s of stack.ipvs.services) for (const r of s.realServers) add(r.address);
  }
  for (const p of world.kubernetes.pods) if (!p.hostNetwork) p.addresses.forEach(add);
  for (const s of world.kubernetes.endpoints) for (const e of s.endpoints) e.addresses.forEach(add);
  found.delete("127.0.0.1");
  return found;
}
