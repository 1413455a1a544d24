import { isTunnel, type Stack, type World } from "../../model/index.ts";
import { type Address, contains, isHost } from "../../net/index.ts";
import { homeOfPod, ownerOf } from "./owners.ts";
import { HINTS, type Standing, type StandingHint } from "./standing.ts";

/** Bridges of a node whose network an address is in. */
const bridgesOf = (stack: Stack, address: Address): readonly Standing[] =>
  stack.devices.items
    .filter((d) => d.kind === "bridge" && d.addresses.some((a) => !isHost(a.prefix) && contains(a.prefix, address)))
    .map((device) => ({ stack, device }));

const distinct = (places: readonly Standing[]): readonly Standing[] => [
  ...new Map(places.map((p) => [placeText(p), p])).values(),
];

/** As `--assume ADDRESS/home=` takes it. */
export const placeText = ({ stack, device }: Standing): string => `${stack.name}:${device.name}`;

/**
 * All places where somebody may stand of whom nothing but an address is known: two hosts have a docker0 with the same network, a packet of it came in
 * by two devices. What was seen goes before what could be. Empty where a device, an object or nobody has it.
 */
export function placesOf(world: World, address: Address): readonly Standing[] {
  const owner = ownerOf(world, address);
  if (homeOfPod(world, address) !== undefined || owner?.kind === "device") return [];
  const nodes = world.stacks.filter((s) => s.kind === "node" && s.assumed === undefined && s.fromObjects !== true);
  const hinted = (hints: readonly StandingHint[]): readonly Standing[] =>
    nodes.flatMap((stack) =>
      hints.flatMap((hint) => hint(stack, address, world).map((device): Standing => ({ stack, device }))),
    );
  const groups = [
    () => hinted(HINTS.seen),
    () => [...nodes.flatMap((s) => bridgesOf(s, address)), ...hinted(HINTS.routed)],
    () => hinted(HINTS.ruled),
  ];
  for (const group of groups) {
    const places = distinct(group()).filter(({ device }) => !isTunnel(device));
    if (places.length > 0) return places;
  }
  return [];
}
