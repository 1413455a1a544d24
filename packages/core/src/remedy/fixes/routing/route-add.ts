import { text } from "../../../messages/index.ts";
import type { Stack, World } from "../../../model/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { type Address, contains, familyOf, formatAddress, isHost, isIpv4 } from "../../../net/index.ts";
import { command, host as hostOf } from "../../commands.ts";
import type { Candidate, Remedy } from "../../fix.ts";
import { isOurs } from "../../scene.ts";

/** A route to the one address, by the veth its pod is behind, or by the node its pod runs on. */
export const routeAdd: Remedy = {
  code: "ROUTE_ADD",
  cures: ["NO_ROUTE", "BLACKHOLE_ROUTE", "WRONG_POD_ROUTE", "ROUTING_LOOP"],
  propose: ({ leg, stack, world }) => {
    if (!isOurs(stack)) return [];
    const { dst } = leg.final;
    const address = formatAddress(dst);
    const candidate = (...words: readonly string[]): Candidate => ({
      code: "ROUTE_ADD",
      summary: text("fix.route_add", { address, stack: stack.name }),
      commands: [command(stack.name, ["ip", "route", "add", hostOf(dst), ...words])],
    });
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
