import { text } from "../../../messages/index.ts";
import { formatAddress } from "../../../net/index.ts";
import { command } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { kubectlPatch } from "../../service-command.ts";
import { serviceCalled } from "../../service-of.ts";

/** The client's address is added to the ranges that the Service lets in. */
export const sourceRangesExtend: Remedy = {
  code: "SOURCE_RANGES_EXTEND",
  cures: ["LB_SOURCE_RANGES"],
  propose: ({ world, question, branch }) => {
    const service = serviceCalled(world, question);
    const sent = branch.request.steps.find((s) => s.kind === "send")?.packet.src;
    if (service === undefined || sent === undefined || (service.loadBalancerSourceRanges ?? []).length === 0) return [];
    const { namespace, name } = service;
    const client = `${formatAddress(sent)}/32`;
    const ranges = [...(service.loadBalancerSourceRanges ?? []), client].join(",");
    return [
      {
        code: "SOURCE_RANGES_EXTEND",
        summary: text("fix.source_ranges_extend", { client, service: `${namespace}/${name}` }),
        commands: [command("", kubectlPatch(namespace, name, "loadBalancerSourceRanges", ranges))],
      },
    ];
  },
};
