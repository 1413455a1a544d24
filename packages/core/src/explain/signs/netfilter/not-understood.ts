import { text } from "../../../messages/index.ts";
import type { Device, Origin, OtherDatapath, Stack } from "../../../model/index.ts";
import { shell } from "../../../model/shell.ts";
import { isIpv4 } from "../../../net/index.ts";
import { decisiveLeg, type Leg } from "../../../trace/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Look, Sign } from "../../sign.ts";
import { suspect } from "../claim.ts";

/** Tables that kube-proxy keeps in nftables mode, and those in which iptables-nft keeps its rules. */
const OF_KUBE_PROXY = /\bkube-proxy\b|^ip6? (?:raw|mangle|nat|filter|security)$/;

/** Legs that end where the walk may not guess. */
const openLegs = ({ exploration }: Look): readonly Leg[] =>
  exploration.branches.map(decisiveLeg).filter((leg) => leg.disposition === "undetermined");

const stackOfLeg = ({ world }: Look, leg: Leg): Stack | undefined => world.stacks.find((s) => s.name === leg.stack);

/**
 * The way meets something that is not modelled: native nftables tables, programs on a device, a kind of device. A table that is not
 * kube-proxy's may be the one that drops what another accepted.
 */
export const datapathNotModelled: Sign = {
  codes: ["DATAPATH_NOT_MODELLED", "NFT_SECOND_TABLE_DROP"],
  detect: (look) =>
    once(
      openLegs(look).flatMap((leg): ClaimedCause[] => {
        const stack = stackOfLeg(look, leg);
        const device = stack?.devices.items.find((d) => leg.origins.includes(d.origin));
        const tables = stack?.netfilter.nativeNft.filter((t) => leg.origins.includes(t.origin)) ?? [];
        const [table] = tables;
        const datapath = otherDatapathOf(look, leg);
        if (stack === undefined || (device ?? table ?? datapath) === undefined) return [];
        // Of a node that only objects tell of the devices have made-up names.
        const named = stack.fromObjects === true && datapath !== undefined ? undefined : device?.name;
        const what = named ?? (table === undefined ? datapath!.owner : `nft table ${table.name}`);
        const claims = [vlansUnknown(stack.name, leg) ?? claim(stack.name, what, leg, commandOf(datapath, device))];
        const other = stack.netfilter.nativeNft.find((t) => !OF_KUBE_PROXY.test(t.name));
        const beside = stack.netfilter.tables.some((t) => t.chains.length > 0) || stack.netfilter.nativeNft.length > 1;
        return other !== undefined && beside ? [secondTable(stack.name, other.name, other.origin), ...claims] : claims;
      }),
    ),
};

/** Whose programs or flows the leg ended at: of the stack, or of the node whose pod it is. */
function otherDatapathOf(look: Look, leg: Leg): OtherDatapath | undefined {
  const stack = stackOfLeg(look, leg);
  const node = stack?.kind === "node" ? stack : look.world.stacks.find((s) => s.name === stack?.node);
  const all = node?.otherDatapaths ?? [];
  return all.find((d) => leg.origins.includes(d.origin)) ?? (all.length === 1 ? all[0] : undefined);
}

/** What asks a datapath itself. */
const ASKS: Readonly<Record<OtherDatapath["owner"], string>> = {
  Cilium: "cilium-dbg service list; cilium-dbg bpf ct list global; cilium-dbg monitor --type drop",
  Calico: "calico-node -bpf nat dump; calico-node -bpf conntrack dump; calico-node -bpf counters dump",
  Antrea: "antctl traceflow; ovs-ofctl dump-flows br-int",
  "OVN-Kubernetes": "ovnkube-trace; ovs-ofctl dump-flows br-int",
  "Open vSwitch": "ovs-vsctl show; ovs-appctl ofproto/trace BRIDGE FLOW",
};

const commandOf = (datapath: OtherDatapath | undefined, device: Device | undefined): string =>
  datapath === undefined
    ? shell`bpftool net; tc filter show dev ${device?.name ?? "DEVICE"} ingress; nft list ruleset`
    : ASKS[datapath.owner];

/** A bridge is modelled; by which VLANs it filters was not shown. */
function vlansUnknown(stack: string, { decision, origins, step }: Leg): ClaimedCause | undefined {
  if (decision.kind !== "unknown-bridge-vlans") return undefined;
  const { bridge } = decision;
  return suspect({
    code: "DATAPATH_NOT_MODELLED",
    stack,
    summary: text("cause.bridge_vlans_unknown", { stack, bridge }),
    evidence: origins,
    step,
    check: { text: text("check.bridge-vlans"), command: shell`ip -d link show ${bridge}; bridge vlan show` },
  });
}

const claim = (stack: string, what: string, leg: Leg, command: string): ClaimedCause =>
  suspect({
    code: "DATAPATH_NOT_MODELLED",
    stack,
    summary: text("cause.datapath_not_modelled", { stack, what }),
    evidence: leg.origins,
    step: leg.step,
    check: {
      text: text("check.datapath"),
      command,
    },
  });

const secondTable = (stack: string, table: string, origin: Origin): ClaimedCause =>
  suspect({
    code: "NFT_SECOND_TABLE_DROP",
    stack,
    summary: text("cause.nft_second_table_drop", { stack, table }),
    evidence: [origin],
    step: "nftables",
    check: { text: text("check.nft-trace"), command: "nft list ruleset; nft monitor trace" },
  });

/** The way meets a rule that is not understood, or whose match depends on what nobody showed. */
export const ruleUnknown: Sign = {
  codes: ["RULE_UNKNOWN"],
  detect: (look) => {
    const ends = openLegs(look).flatMap((leg) =>
      isRule(stackOfLeg(look, leg), leg.origins) ? [unknown(leg.stack, leg.step, leg.origins, routingCheck(leg))] : [],
    );
    const supposed = look.exploration.branches.flatMap((b) =>
      b.clientSees === "connected"
        ? []
        : b.request.steps.flatMap((s) =>
            s.kind === "rule" && s.effect === "assumed matched"
              ? [unknown(s.stack, `${s.table} ${s.chain}`, [s.origin])]
              : [],
          ),
    );
    return once([...ends, ...supposed]);
  },
};

const isRule = (stack: Stack | undefined, origins: readonly Origin[]): boolean =>
  stack?.netfilter.tables.some((t) => t.chains.some((c) => c.rules.some((r) => origins.includes(r.origin)))) === true ||
  stack?.routingRules.items.some((r) => origins.includes(r.origin)) === true;

/** What shows the rest of it, where the leg ended in routing. */
function routingCheck({ decision, final, step }: Leg): ClaimedCause["check"] {
  const ip = isIpv4(final.dst) ? "ip" : "ip -6";
  if (decision.kind === "unknown-table") {
    const { table } = decision;
    return { text: text("check.route-table", { table }), command: `${ip} ${shell`route show table ${table}`}` };
  }
  return step === "route" ? { text: text("check.ip-rule"), command: `${ip} -d rule show` } : undefined;
}

const unknown = (
  stack: string,
  step: string,
  evidence: readonly Origin[],
  check?: ClaimedCause["check"],
): ClaimedCause =>
  suspect({
    code: "RULE_UNKNOWN",
    stack,
    summary: text("cause.rule_unknown", { stack, step }),
    evidence,
    step,
    check: check ?? {
      text: text("check.rule-counter"),
      command: shell`iptables-save -c | grep -F -- ${step.split(" ")[1] ?? ""}`,
    },
  });

const once = (claims: readonly ClaimedCause[]): readonly ClaimedCause[] =>
  claims.filter((c, i) => claims.findIndex((o) => o.code === c.code && o.stack === c.stack) === i);
