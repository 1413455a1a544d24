import { text } from "../../../messages/index.ts";
import { KUBE_IPVS0 } from "../../../model/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { formatAddress } from "../../../net/index.ts";
import { command } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, stackOf } from "../../scene.ts";
import { serverLine, serviceLine } from "../../undo/ipvs.ts";

/** What kube-proxy does unless the cloud keeps it from it: the node answers for the load balancer's address itself. */
export const serveOnNode: Remedy = {
  code: "SERVE_ON_NODE",
  cures: ["LB_LOOPBACK"],
  propose: ({ world, question }) => {
    const client = stackOf(world, question.client);
    const node = client?.kind === "node" ? client : stackOf(world, client?.node ?? "");
    const dummy = node?.devices.items.find((d) => d.kind === "dummy" && d.name === KUBE_IPVS0);
    const balancer = world.loadBalancers.find((b) => b.address === question.to);
    const target = balancer?.ports.find((p) => p.port === question.port)?.targetPort;
    // The node port's virtual service has the real servers that the address would get.
    const served = node?.ipvs.services.find(
      (s) => s.key.kind === "address" && s.key.port === target && s.key.protocol === question.protocol,
    );
    if (!isOurs(node) || dummy === undefined || served === undefined || served.realServers.length === 0) return [];
    const key = { kind: "address", protocol: question.protocol, address: question.to, port: question.port } as const;
    const service = { ...served, key };
    const address = formatAddress(question.to);
    return [
      {
        code: "SERVE_ON_NODE",
        summary: text("fix.serve_on_node", { address, stack: node.name }),
        commands: [
          command(node.name, ["ip", "addr", "add", `${address}/32`, "dev", nameWord(dummy.name)]),
          command(node.name, serviceLine(service).split(" ")),
          ...served.realServers.map((r) => command(node.name, serverLine(service, r).split(" "))),
        ],
        lasting: [
          {
            how: text("lasting.lb_ingress_ip", { address }),
            lines: [`status.loadBalancer.ingress: [{ ip: ${address}, ipMode: VIP }]`],
          },
        ],
      },
    ];
  },
};
