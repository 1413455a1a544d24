import { text } from "../../../messages/index.ts";
import {
  type IpSet,
  isLocalSet,
  type RealServer,
  type Stack,
  type VirtualService,
  type World,
} from "../../../model/index.ts";
import { nameWord, shell } from "../../../model/shell.ts";
import { type Address, formatAddress, isIpv4 } from "../../../net/index.ts";
import { formatEntry } from "../../../parse/ipset/entry.ts";
import { command } from "../../commands.ts";
import type { Candidate, Command, Remedy, RemedyScene } from "../../fix.ts";
import { isOurs } from "../../scene.ts";
import { kubectlPatch } from "../../service-command.ts";
import { serviceAt, serviceCalled } from "../../service-of.ts";
import { serverLine } from "../../undo/ipvs.ts";

/** What kube-proxy does on externalTrafficPolicy Cluster: every endpoint serves every node, masqueraded. */
export const externalPolicyCluster: Remedy = {
  code: "EXTERNAL_POLICY_CLUSTER",
  cures: ["ETP_LOCAL_NO_ENDPOINT_IPVS", "ETP_LOCAL_NO_ENDPOINT_IPTABLES", "MASQ_MISSING_REMOTE_ENDPOINT"],
  propose: (scene) => [...byObject(scene), ...byHand(scene)],
};

/** The Service itself, where its object and its endpoints were shown. */
function byObject({ world, question, leg }: RemedyScene): readonly Candidate[] {
  const service = serviceCalled(world, question) ?? serviceAt(world, leg.final.dst);
  // The ClusterIP has a policy of its own.
  if (service?.externalTrafficPolicy !== "Local" || service.clusterIps.some((a) => a === leg.final.dst)) return [];
  const { namespace, name } = service;
  return [
    {
      code: "EXTERNAL_POLICY_CLUSTER",
      summary: text("fix.external_policy_cluster.object", { service: `${namespace}/${name}` }),
      commands: [command("", kubectlPatch(namespace, name, "externalTrafficPolicy", "Cluster"))],
      lasting: [{ how: text("lasting.daemonset_backend"), lines: [] }],
    },
  ];
}

function byHand({ leg, stack, world, question }: RemedyScene): readonly Candidate[] {
  if (!isOurs(stack)) return [];
  const service = stack.ipvs.services.find(
    (s) =>
      s.key.kind === "address" &&
      s.key.address === leg.final.dst &&
      s.key.port === leg.final.dport &&
      s.key.protocol === question.protocol,
  );
  if (service === undefined) return [];
  const servers = serversElsewhere(world, service);
  if (servers.length === 0) return [];
  const address = formatAddress(leg.final.dst);
  const named = serviceAt(world, leg.final.dst);
  return [
    {
      code: "EXTERNAL_POLICY_CLUSTER",
      summary: text("fix.external_policy_cluster", { address, stack: stack.name }),
      commands: [
        ...servers.map((r): Command => command(stack.name, serverLine(service, r).split(" "))),
        ...notLocal(stack, service),
      ],
      lasting: [
        {
          how: text("lasting.external_policy", { address }),
          lines: [
            shell`kubectl -n ${named?.namespace ?? "NAMESPACE"} patch service ${named?.name ?? "NAME"} -p '{"spec":{"externalTrafficPolicy":"Cluster"}}'`,
          ],
        },
        { how: text("lasting.daemonset_backend"), lines: [] },
      ],
    },
  ];
}

/** Real servers that other nodes, or another address of the same Service on this one, are known to have. */
function serversElsewhere(world: World, service: VirtualService): readonly RealServer[] {
  const { key } = service;
  if (key.kind !== "address") return [];
  const object = serviceAt(world, key.address);
  const port = object?.ports.find((p) => p.port === key.port && p.protocol === key.protocol);
  const siblings = [
    ...(object?.clusterIps ?? []).map((a) => ({ address: a, port: key.port })),
    { address: key.address, port: key.port },
  ];
  const found = new Map<string, RealServer>();
  const add = (server: RealServer): void => void found.set(`${formatAddress(server.address)}:${server.port}`, server);
  for (const node of world.stacks)
    for (const other of node.ipvs.services) {
      if (other.key.kind !== "address" || other.key.protocol !== key.protocol) continue;
      const k = other.key;
      if (siblings.some((s) => s.address === k.address && s.port === k.port))
        for (const server of other.realServers) if (server.weight > 0) add({ ...server, weight: 1 });
    }
  for (const slice of world.kubernetes.endpoints) {
    if (object === undefined || slice.namespace !== object.namespace || slice.service !== object.name) continue;
    for (const ep of slice.endpoints.filter((e) => e.ready)) {
      const target = slice.ports.find(
        (p) => (p.name ?? "") === (port?.name ?? "") && p.protocol === key.protocol,
      )?.port;
      const address = ep.addresses.find(isIpv4);
      if (address !== undefined && target !== undefined)
        add({ address, port: target, method: "masq", weight: 1, origin: ep.origin });
    }
  }
  const own = new Set(service.realServers.map((r) => `${formatAddress(r.address)}:${r.port}`));
  return [...found].filter(([id]) => !own.has(id)).map(([, server]) => server);
}

/** The entries of the -LOCAL sets, which keep kube-proxy's rules from masquerading. */
function notLocal(stack: Stack, { key }: VirtualService): readonly Command[] {
  if (key.kind !== "address") return [];
  return stack.ipsets.items.flatMap((set): Command[] => {
    if (!isLocalSet(set.name)) return [];
    const entry = set.entries.find((e) => holds(e.parts, key));
    const shown = entry === undefined ? undefined : formatEntry(entry).split(" ")[0];
    return shown === undefined ? [] : [command(stack.name, ["ipset", "del", nameWord(set.name), shown])];
  });
}

const holds = (
  parts: IpSet["entries"][number]["parts"],
  key: { readonly address: Address; readonly port: number; readonly protocol: number },
): boolean => {
  const port = parts.find((p) => p.kind === "port");
  const address = parts.find((p) => p.kind === "address");
  if (port?.kind !== "port" || port.from !== key.port) return false;
  if (port.protocol !== undefined && port.protocol !== key.protocol) return false;
  return address?.kind !== "address" || address.from === key.address;
};
