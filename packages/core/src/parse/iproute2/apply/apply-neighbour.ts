import type { Neighbour } from "../../../model/index.ts";
import type { IpCommand } from "../command/command.ts";
import { type Applied, done, refused } from "./applied.ts";

type NeighbourCommand = Extract<IpCommand, { kind: "neighbour" }>;

/** `ip neigh …`. */
export function applyNeighbour(
  neighbours: readonly Neighbour[],
  command: NeighbourCommand,
): Applied<readonly Neighbour[]> {
  const { verb, neighbour: wanted, device } = command;
  if (verb === "flush")
    return done(
      neighbours.filter(
        (n) => (device !== undefined && n.device !== device) || n.states.includes("PERMANENT") || n.proxy,
      ),
    );
  if (wanted === undefined) return refused("EINVAL");
  const same = (n: Neighbour): boolean =>
    n.device === wanted.device && n.proxy === wanted.proxy && n.address === wanted.address;
  const known = neighbours.some(same);
  if (verb === "delete") return known ? done(neighbours.filter((n) => !same(n))) : refused("ENOENT");
  if (verb === "add" && known && !wanted.proxy) return refused("EEXIST");
  if (verb === "change" && !known) return refused("ENOENT");
  return done(known ? neighbours.map((n) => (same(n) ? wanted : n)) : [...neighbours, wanted]);
}
