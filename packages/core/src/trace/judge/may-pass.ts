import {
  chainsNotRead,
  type DropReason,
  type Ground,
  type IptablesTable,
  isServiceChain,
  proxyChain,
  type Rule,
  refusalOf,
  type Stack,
  serviceName,
  serviceOfRule,
  type World,
} from "../../model/index.ts";
import { type Address, familyOf, unspecified } from "../../net/index.ts";
import { type Branch, decisiveLeg, type Exploration, type Leg } from "../explore/branch.ts";
import { ownerOf } from "../hosts/owners.ts";

/**
 * A failure is no more certain than what it rests on: where the packet would not have come to the place of its death but for
 * something nobody showed, it may pass all the same. A rule, a switch or a socket that was shown and that it meets in any
 * case decides; the unseen rest of a table that was cut is taken to be without effect.
 */
export function mayPass(exploration: Exploration, branch: Branch): boolean {
  if (branch.clientSees === "connected") return false;
  const leg = decisiveLeg(branch);
  if (isMadeUpSource(leg, exploration.world) || lacksUnshownSource(leg, exploration.world)) return true;
  if (isSenderUnshown(leg, exploration.world) || lacksUnshownEndpoints(leg, exploration.world)) return true;
  if (leadsToUnshown(leg, branch, exploration)) return true;
  if (branch.grounds.length === 0) return false;
  return leg.disposition !== "undetermined" && branch.grounds.some((ground) => saves(ground, leg, branch, exploration));
}

/** It died of having an address of the machine it reached, and that address was made up for a device that was shown without any. */
function isMadeUpSource({ drop, stack, final }: Leg, { stacks }: World): boolean {
  if (drop !== "IP_LOCAL_SOURCE") return false;
  const addresses = stacks.find((s) => s.name === stack)?.devices.items.flatMap((d) => d.addresses) ?? [];
  return addresses.some((a) => a.prefix.address === final.src && a.origin.kind === "assumed");
}

/** It found no address to send from (EADDRNOTAVAIL), on a stack of which nobody showed the addresses. */
const lacksUnshownSource = ({ steps, stack }: Leg, { stacks }: World): boolean =>
  steps.some((s) => s.kind === "route" && s.stack === stack && s.error === "EADDRNOTAVAIL") &&
  stacks.some((s) => s.name === stack && s.devices.items.some((d) => d.kind !== "loopback" && !d.addressesKnown));

const isUnaddressed = ({ devices: { items } }: Stack): boolean =>
  items.every((d) => d.kind === "loopback" || d.addresses.length === 0);

/** It died of having no address to be sent from, which a node that only objects tell of, without its addresses, cannot give it. */
function isSenderUnshown({ drop, stack, final }: Leg, { stacks }: World): boolean {
  const nameless = stacks.filter((s) => s.fromObjects === true && isUnaddressed(s));
  if (drop === "MASQUERADE_NO_ADDRESS") return nameless.some((s) => s.name === stack);
  return drop === "IP_INVALID_SOURCE" && final.src === unspecified(familyOf(final.dst)) && nameless.length > 0;
}

/**
 * Refused for want of endpoints, as kube-proxy would have from the objects: where nobody showed a list of endpoints, nor the pods that this Service selects,
 * a list that is not there is not an empty one.
 */
function lacksUnshownEndpoints({ stack, drop, origins, final }: Leg, { stacks, kubernetes }: World): boolean {
  const { endpoints, services, noEndpoints } = kubernetes;
  if (noEndpoints === true || endpoints.some((e) => e.origin.kind === "read")) return false;
  const { fromObjects, netfilter } = stacks.find((s) => s.name === stack) ?? {};
  // A rule that a dump shows settles it: where none was read yet, none has to be.
  const chains = netfilter?.tables.flatMap(chainsNotRead) ?? [];
  const refusing = chains.flatMap((c) => c.rules).find((r) => origins.includes(r.origin) && refusalOf(r));
  if (refusing === undefined && (drop !== "IPVS_NO_DESTINATION" || fromObjects !== true)) return false;
  if (refusing?.origin.kind === "read") return false;
  const comment = refusing === undefined ? undefined : serviceOfRule(refusing);
  const service = services.find((s) =>
    comment === undefined
      ? s.clusterIps.includes(final.dst)
      : s.namespace === comment.namespace && s.name === comment.name,
  );
  return !endpoints.some((e) => e.namespace === service?.namespace && e.service === service?.name);
}

/** A rule of kube-proxy took it to a chain that nobody showed: that chain translates it, to whom is not known. */
const leadsToUnshown = (leg: Leg, { request, assumptions }: Branch, { to }: Exploration): boolean =>
  leg === request &&
  leg.final.dst === to &&
  assumptions.some(({ why }) => "kind" in why && why.kind === "chain-no-effect" && isServiceChain(why.chain));

function saves(ground: Ground, leg: Leg, { request }: Branch, { world, to }: Exploration): boolean {
  const { stacks } = world;
  switch (ground.kind) {
    case "routes":
      return ground.how !== "made-up" && byRoute(leg, stacks);
    case "route-table":
    case "routing-rules":
      return byRoute(leg, stacks);
    case "source":
      return true;
    case "addresses":
      return leg.drop === "NEIGH_FAILED" || leg.drop === "FABRIC_NO_OWNER";
    // Translated, what was asked for would have gone elsewhere.
    case "table":
      if (ground.how === "unshown")
        return ground.table === "nat" && leg === request && leg.final.dst === to && mayBeTranslated(world, to);
      // Whom kube-proxy drops hangs on settings that objects do not show; whom it rejects does not.
      return (
        ground.how === "expected" &&
        leg.disposition === "dropped" &&
        leg.step.startsWith(`${ground.table} `) &&
        !(leg === request && leg.final.dst === to && isLeftByShownNat(leg, stacks))
      );
    // A listing without rules (`nft list chains`) or cut before them shows policies that rules may have come before.
    case "owner":
      return leg.stack === ground.stack && byOwnerRule(leg, stacks);
    case "nft-rules":
      return leg.stack === ground.stack && leg.decision.kind === "policy-of";
    case "service":
      return !ground.known;
    case "endpoint":
      return (
        leg === request && leg.final.dst === to && stacks.some((s) => s.name === leg.stack && s.assumed !== undefined)
      );
    case "client":
    case "node":
    case "gateway":
    case "connections":
    case "mtu":
    case "peers":
    case "transparent":
    case "legacy-tables":
    case "listener":
      return false;
  }
}

/**
 * kube-proxy writes nat and filter in one go (syncProxyRules(), pkg/proxy/iptables/proxier.go): where nat was shown, has the chain of this
 * Service's external traffic and leaves the packet as it is, that there is no local endpoint was shown, and the DROP is the other half of it.
 */
function isLeftByShownNat({ stack, origins }: Leg, stacks: readonly Stack[]): boolean {
  const tables = stacks.find((s) => s.name === stack)?.netfilter.tables ?? [];
  const dropping = rulesOf(tables).find((r) => origins.includes(r.origin) && refusalOf(r) === "no-local-endpoints");
  const service = dropping === undefined ? undefined : serviceOfRule(dropping);
  if (service === undefined) return false;
  return tables.some(
    (t) =>
      t.name === "nat" &&
      t.origin.kind === "read" &&
      t.extent === "whole" &&
      rulesOf([t]).some((r) => isExternalOf(r, serviceName(service), t)),
  );
}

/** The rule calls the chain of that Service's external traffic, and the chain was shown. */
function isExternalOf(rule: Rule, service: string, { chains }: IptablesTable): boolean {
  const { target } = rule;
  if (target.kind !== "jump" || proxyChain(target.chain) !== "external") return false;
  const about = serviceOfRule(rule);
  return about !== undefined && serviceName(about) === service && chains.some((c) => c.name === target.chain);
}

const rulesOf = (tables: readonly IptablesTable[]): readonly Rule[] =>
  tables.flatMap((t) => t.chains.flatMap((c) => c.rules));

/** A rule that asks who runs the server is what dropped it. */
const byOwnerRule = ({ stack, origins }: Leg, stacks: readonly Stack[]): boolean =>
  stacks.some(
    (s) =>
      s.name === stack &&
      s.netfilter.tables.some((t) =>
        t.chains.some((c) =>
          c.rules.some((r) => origins.includes(r.origin) && r.matches.some((m) => m.kind === "owner")),
        ),
      ),
  );

/** An address of Services, or of a node; a pod's or a VM's own, or one of a pod network that was shown, is called as it is. */
function mayBeTranslated(world: World, address: Address): boolean {
  const owner = ownerOf(world, address);
  if (owner === undefined) return true;
  const { assumed, node, kind } = owner.stack;
  return assumed !== undefined ? node === undefined : owner.kind === "device" && kind === "node";
}

/** What becomes of a packet that was sent the wrong way, or is looked at by the way back. */
const BY_ROUTE: ReadonlySet<DropReason> = new Set<DropReason>([
  "IP_RPFILTER",
  "IP_LOCAL_SOURCE",
  "IP_INNOROUTES",
  "IP_OUTNOROUTES",
  "ICMP_REJECTED_ROUTE",
  "NEIGH_FAILED",
  "TTL_EXPIRED",
  "LOOP",
  "PKT_TOO_BIG",
  "MASQUERADE_NO_ADDRESS",
  "MASQUERADE_DEVICE_CHANGED",
  "TUNNEL_NO_DEVICE",
  "TUNNEL_TO_ITSELF",
  "TCP_UNEXPECTED",
  "FABRIC_NO_OWNER",
  "FABRIC_SRC_DST_CHECK",
  "GATEWAY_DROPS",
]);

/** Whether another route might have saved it: whatever a rule does that no rule of its table asks about the way out does not. */
function byRoute(leg: Leg, stacks: readonly Stack[]): boolean {
  if (leg.drop !== "NETFILTER_DROP") return leg.drop === null || BY_ROUTE.has(leg.drop);
  // Sent out and back again, conntrack no longer knows it.
  if (leg.steps.filter((s) => s.kind === "forward" && s.stack === leg.stack).length > 1) return true;
  const [table, hook] = leg.step.split(" ");
  if (hook === "PREROUTING" || hook === "INPUT") return false;
  const tables = stacks.find((s) => s.name === leg.stack)?.netfilter.tables ?? [];
  return tables.some(
    (t) => t.name === table && t.chains.some((c) => c.rules.some((r) => r.outInterface !== undefined)),
  );
}
