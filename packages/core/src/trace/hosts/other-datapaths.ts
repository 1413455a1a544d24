import { Undetermined } from "../../datapath/index.ts";
import type { Device, OtherDatapath, Stack, World } from "../../model/index.ts";
import { type Address, isUnspecified } from "../../net/index.ts";

/** A pod's end that nobody showed has what the others of its node have. */
export function podPrograms({ otherDatapaths = [] }: Stack): Pick<Device, "programs"> {
  const names = otherDatapaths.map(({ owner, origin }) => ({
    hook: "both" as const,
    name: `programs of ${owner}`,
    origin,
  }));
  return names.length === 0 ? {} : { programs: names };
}

interface ConnectQuestion {
  readonly to: Address;
  readonly port: number;
  readonly protocol: number;
}

/**
 * A socket that connects to a Service where programs on cgroups translate it (BPF_CGROUP_INET4_CONNECT and the like): the packet never
 * has the Service's address, and which endpoint it gets is not known.
 */
export function refuseSocketPrograms(world: World, client: Stack, asked: ConnectQuestion): void {
  const node = client.kind === "node" ? client : world.stacks.find((s) => s.name === client.node);
  for (const datapath of node?.otherDatapaths ?? []) {
    const { owner, sockets, origin } = datapath;
    if (sockets !== "all" && !(sockets === "node" && client === node)) continue;
    const frontend = frontendOf(world, datapath, asked);
    if (frontend === undefined) continue;
    throw new Undetermined(
      client.name,
      "socket",
      { kind: "unknown-socket-program", owner, address: asked.to, port: asked.port },
      [origin, frontend],
    );
  }
}

/** Where it says that the asked address and port are translated; undefined: they are not. */
function frontendOf(world: World, { frontends, origin }: OtherDatapath, { to, port, protocol }: ConnectQuestion) {
  if (frontends !== undefined) {
    const listed = frontends.find(
      (f) =>
        (f.address === to || isAnyNodes(world, f.address, to)) &&
        f.port === port &&
        (f.protocol === undefined || f.protocol === protocol),
    );
    return listed?.origin;
  }
  const service = world.kubernetes.services.find((s) =>
    s.ports.some((p) => {
      if (p.protocol !== protocol) return false;
      const own = [...s.clusterIps, ...s.externalIps, ...s.loadBalancerIps].some((a) => a === to);
      return (own && p.port === port) || (p.nodePort === port && isNodes(world, to));
    }),
  );
  if (service !== undefined) return service.origin;
  // Nobody listed any: what is neither a node's nor a pod's may be one.
  return world.kubernetes.services.length === 0 && !isNodes(world, to) && !isPods(world, to) ? origin : undefined;
}

const isNodes = ({ stacks }: World, address: Address): boolean =>
  stacks.some(
    (s) => s.kind === "node" && s.devices.items.some((d) => d.addresses.some((a) => a.prefix.address === address)),
  );
const isPods = ({ stacks, kubernetes }: World, address: Address): boolean =>
  kubernetes.pods.some((p) => p.addresses.some((a) => a === address)) ||
  stacks.some(
    (s) => s.kind === "pod" && s.devices.items.some((d) => d.addresses.some((a) => a.prefix.address === address)),
  );

/** `0.0.0.0:30080` stands for a node port at every address of a node. */
const isAnyNodes = (world: World, listed: Address, to: Address): boolean => isUnspecified(listed) && isNodes(world, to);
