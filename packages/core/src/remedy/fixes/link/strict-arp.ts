import { text } from "../../../messages/index.ts";
import { sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";

/** Nodes answer ARP only for addresses of the card that is asked: what kube-proxy calls strictARP. */
export const strictArp: Remedy = {
  code: "STRICT_ARP",
  cures: ["ARP_NOT_STRICT"],
  propose: ({ findings, world, question }) => {
    if (!findings.some((f) => f.code === "ARP_NOT_STRICT")) return [];
    const holders = world.stacks.filter(
      (s) =>
        s.assumed === undefined &&
        s.devices.items.some((d) => d.kind === "dummy" && d.addresses.some((a) => a.prefix.address === question.to)),
    );
    if (holders.length === 0) return [];
    return [
      {
        code: "STRICT_ARP",
        summary: text("fix.strict_arp", { stacks: holders.map((s) => s.name) }),
        commands: holders.flatMap(({ name }) => [
          sysctl(name, "net.ipv4.conf.all.arp_ignore", 1),
          sysctl(name, "net.ipv4.conf.all.arp_announce", 2),
        ]),
        lasting: [{ how: text("lasting.kube_proxy_config"), lines: ["ipvs: { strictARP: true }"] }],
      },
    ];
  },
};
