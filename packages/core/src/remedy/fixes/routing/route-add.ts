import { missingPeerRoute } from "../../../explain/index.ts";
import { text } from "../../../messages/index.ts";
import type { Stack, World } from "../../../model/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { type Address, contains, familyOf, formatAddress, formatPrefix, isHost, isIpv4 } from "../../../net/index.ts";
import { command, host as hostOf } from "../../commands.ts";
import type { Candidate, Remedy, RemedyScene } from "../../fix.ts";
import { foundAt, isOurs, stepsOf } from "../../scene.ts";

/**
 * Where nodes send pods straight to each other: the route to all of a node's. Otherwise one to the one address, by the veth its pod is behind, or by the
 * node its pod runs on.
 */
export const routeAdd: Remedy = {
  code: "ROUTE_ADD",
  cures: ["NO_ROUTE", "BLACKHOLE_ROUTE", "WRONG_POD_ROUTE", "ROUTING_LOOP"],
  propose: (scene) => {
    const { leg, stack, world } = scene;
    const network = likePeers(scene);
    if (network.length > 0) return network;
    if (!isOurs(stack)) return [];
    const { dst } = leg.final;
    const candidate = (...words: readonly string[]): Candidate => added(stack, formatAddress(dst), hostOf(dst), words);
    const owner = ownerOf(world, dst);
    if (owner === undefined || owner.name === stack.name) return [];
    if (owner.node === stack.name) {
      const link = world.links.find(
        (l) =>
          l.type === "veth" && l.ends.some((e) => e.stack === owner.name) && l.ends.some((e) => e.stack === stack.name),
      );
      const end = link?.ends.find((e) => e.stack === stack.name);
      return end === undefined
        ? []
        : [candidate("dev", nameWord(end.device), ...(isIpv4(dst) ? ["scope", "link"] : []))];
    }
    const host = world.stacks.find((s) => s.name === (owner.node ?? owner.name));
    const gateway = host?.devices.items
      .flatMap((d) => (d.kind === "dummy" ? [] : d.addresses.map((a) => a.prefix.address)))
      .find((a) => familyOf(a) === familyOf(dst) && onLink(stack, a));
    return gateway === undefined ? [] : [candidate("via", formatAddress(gateway))];
  },
};

const added = ({ name }: Stack, to: string, typed: string, words: readonly string[]): Candidate => ({
  code: "ROUTE_ADD",
  summary: text("fix.route_add", { address: to, stack: name }),
  commands: [command(name, ["ip", "route", "add", typed, ...words])],
});

/** At each node that sends what is on this way, and is said to lack a route, to its gateway. */
const likePeers = (scene: RemedyScene): readonly Candidate[] =>
  foundAt(scene, ["NO_ROUTE"]).flatMap((stack) =>
    [scene.branch.request, scene.branch.reply]
      .flatMap((leg) => stepsOf(leg, "route"))
      .filter((step) => step.stack === stack.name)
      .flatMap((step) => missingPeerRoute(scene.world, stack.name, step.packet.dst) ?? [])
      .slice(0, 1)
      .map(({ network, via }) => {
        const to = formatPrefix(network);
        return added(stack, to, to, ["via", formatAddress(via)]);
      }),
  );

const ownerOf = (world: World, address: Address): Stack | undefined =>
  world.stacks.find(
    (s) =>
      s.assumed === undefined &&
      s.devices.items.some((d) => d.kind !== "dummy" && d.addresses.some((a) => a.prefix.address === address)),
  );

const onLink = (stack: Stack, address: Address): boolean =>
  stack.devices.items.some((d) =>
    d.addresses.some((a) => !isHost(a.prefix) && contains(a.prefix, address) && a.prefix.address !== address),
  );
