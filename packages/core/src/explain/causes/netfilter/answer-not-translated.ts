import { text } from "../../../messages/index.ts";
import type { IpvsStep, NatStep, Origin } from "../../../model/index.ts";
import { formatAddress, isIpv4, protocolName } from "../../../net/index.ts";
import {
  argv,
  type Cause,
  type Finding,
  hostText,
  iptablesFor,
  lastOf,
  on,
  type Scene,
  stackOf,
  stepsOf,
} from "../../cause.ts";

type Translated = NatStep | IpvsStep;

const originsOf = (step: Translated): readonly Origin[] =>
  step.kind === "nat" ? (step.origin === undefined ? [] : [step.origin]) : step.origins;

const bridgeNf = (four: boolean): string => `net.bridge.bridge-nf-call-ip${four ? "" : "6"}tables`;

/** The request was translated on a node, and the answer reaches the client by a way on which nobody translates it back. */
export const answerNotTranslated: Cause = {
  codes: ["BRIDGE_NF_OFF", "MASQ_MISSING_REMOTE_ENDPOINT"],
  detect: (scene) => {
    const { branch, leg, world } = scene;
    if (leg !== branch.reply || (leg.drop !== "TCP_UNEXPECTED" && leg.drop !== "NETFILTER_DROP")) return [];
    const translated = [
      ...stepsOf(branch.request, "nat").filter((s) => s.manip === "destination"),
      ...stepsOf(branch.request, "ipvs"),
    ][0];
    if (translated === undefined || branch.request.masqueraded) return [];
    const { stack } = translated;
    if (leg.drop === "NETFILTER_DROP") return droppedOnTheWay(scene, translated);
    const bridged = stepsOf(leg, "bridge").find((s) => s.stack === stack && s.action === "forward");
    const hooks = stepsOf(leg, "hook").some((s) => s.stack === stack);
    const origins = originsOf(translated);
    if (bridged !== undefined && !hooks) {
      const key = bridgeNf(isIpv4(translated.packet.dst));
      const sysctl = stackOf(world, stack)?.sysctls.get(key);
      return [
        {
          code: "BRIDGE_NF_OFF",
          summary: text("cause.bridge_nf_off", { bridge: bridged.bridge }),
          stack,
          evidence: [...(sysctl === undefined ? [] : [sysctl.origin]), ...origins],
          without: [on(stack, argv`sysctl -w ${key}=1`)],
          root: true,
        },
      ];
    }
    if (leg.steps.some((s) => s.stack === stack)) return [];
    const summary = text("cause.masq_missing_remote_endpoint", { stack });
    const { src, dst } = translated.packet;
    const masquerade = argv`${iptablesFor(src)} -t nat -I POSTROUTING -s ${hostText(src)} -d ${hostText(dst)} -j MASQUERADE`;
    const without = [on(stack, masquerade)];
    // Where an endpoint that nobody showed stands, and so which way it answers, is assumed, unless it is sent to by another machine.
    const sender = stackOf(world, leg.steps[0]?.stack ?? "");
    const onward = lastOf(stepsOf(branch.request, "route").filter((s) => s.stack === stack))?.gateway;
    const placed = sender?.assumed === undefined || sender.node !== undefined || onward !== undefined;
    const most = placed ? {} : { most: "inferred" as const };
    return [{ code: "MASQ_MISSING_REMOTE_ENDPOINT", summary, stack, evidence: origins, without, root: true, ...most }];
  },
};

/**
 * A node that the request did not come back through knows nothing of the connection: it drops the answer as INVALID before the client
 * can refuse it. Whether the answer had to come back the other way is told by trying.
 */
function droppedOnTheWay({ leg, question }: Scene, translated: Translated): readonly Finding[] {
  const { stack, before } = translated;
  if (leg.steps.some((s) => s.stack === stack)) return [];
  const { src, dst, dport } = before;
  const [called, protocol] = [formatAddress(dst), protocolName(question.protocol)];
  const masquerade = argv`${iptablesFor(src)} -t nat -I POSTROUTING -p ${protocol} -s ${hostText(src)} -m conntrack --ctorigdst ${called} --ctorigdstport ${String(dport)} -j MASQUERADE`;
  return [
    {
      code: "MASQ_MISSING_REMOTE_ENDPOINT",
      summary: text("cause.masq_missing_remote_endpoint", { stack }),
      stack,
      evidence: originsOf(translated),
      without: [on(stack, masquerade)],
      needsProof: true,
      root: true,
    },
  ];
}
