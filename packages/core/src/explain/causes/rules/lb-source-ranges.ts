import type { StackCommand } from "../../../assemble/index.ts";
import { text } from "../../../messages/index.ts";
import { type ProxyChain, proxyChain } from "../../../model/index.ts";
import { formatAddress, isIpv4 } from "../../../net/index.ts";
import { argv, on, type Scene, wayOf } from "../../cause.ts";
import type { RuleCause } from "./dropping-rule.ts";

const SOURCE_RANGES: ReadonlySet<ProxyChain | undefined> = new Set<ProxyChain>([
  "source-ranges",
  "proxy-firewall",
  "source-ranges-firewall",
]);

/** loadBalancerSourceRanges, which since 1.25 holds for pods, too. */
export const lbSourceRanges: RuleCause = {
  code: "LB_SOURCE_RANGES",
  reads: ({ chain }, scene) =>
    SOURCE_RANGES.has(proxyChain(chain.name))
      ? text("cause.lb_source_ranges", {
          direction: wayOf(scene),
          stack: scene.leg.stack,
          source: formatAddress(scene.leg.final.src),
        })
      : undefined,
  without: (_, scene) => rangeWith(scene),
};

/** The client let in by the Service itself, where its object was shown: passing its firewall alone translates nothing. */
export function rangeWith({ question, world, leg }: Scene): readonly StackCommand[] {
  const service = world.kubernetes.services.find((s) => s.loadBalancerIps.some((a) => a === question.to));
  if (service === undefined) return [];
  const ranges = [
    ...(service.loadBalancerSourceRanges ?? []),
    `${formatAddress(leg.final.src)}/${isIpv4(leg.final.src) ? 32 : 128}`,
  ];
  const { namespace, name } = service;
  return [on("", argv`svc/${namespace}/${name} spec.loadBalancerSourceRanges=${ranges.join(",")}`)];
}
