import type { QuestionFlow } from "../evidence/index.ts";
import type { Stack, World } from "../model/index.ts";
import type { Address } from "../net/index.ts";
import { type Exploration, ownerOf, type Question, type QuestionSpec } from "../trace/index.ts";

/** The asked flow as observations are told apart by it. */
export function flowOf(world: World, question: Question, spec: QuestionSpec, exploration: Exploration): QuestionFlow {
  const { to, port, protocol } = question;
  const onTheWay = exploration.branches.flatMap(({ request }) => [
    request.final.src,
    ...request.steps.flatMap((s) => (s.kind === "nat" ? [s.packet.src] : [])),
  ]);
  const isOwn = (address: Address): boolean =>
    isClients(world, question, spec, address) || onTheWay.some((a) => a === address);
  const translating = addressesOfUnshownNat(exploration);
  const mayBecome = (address: Address): boolean => translating.some((a) => a === address);
  return {
    to,
    port,
    protocol,
    ...(spec.bind === undefined ? {} : { bind: spec.bind }),
    ...(spec.sees === undefined ? {} : { sees: spec.sees }),
    becomes: exploration.branches.flatMap(({ request: { final } }) =>
      typeof final.dport === "number" ? [{ to: final.dst, port: final.dport }] : [],
    ),
    isOwn,
    mayBecome,
    isOthers: (address) => !isOwn(address) && !mayBecome(address) && isSomebodys(world, address),
  };
}

/** Addresses that a node the request leaves by would give it if it masqueraded, where its nat table was not shown whole. */
const addressesOfUnshownNat = ({ world, branches }: Exploration): readonly Address[] =>
  branches.flatMap(({ request }) =>
    request.steps.flatMap((s) => {
      if (s.kind !== "forward") return [];
      const stack = world.stacks.find((x) => x.name === s.stack);
      if (stack === undefined || showsNat(stack)) return [];
      return stack.devices.items.find((d) => d.name === s.out)?.addresses.map((a) => a.prefix.address) ?? [];
    }),
  );

const showsNat = ({ netfilter: { tables } }: Stack): boolean =>
  tables.some((t) => t.name === "nat" && t.extent === "whole");

export const owns = (stack: Stack, address: Address): boolean =>
  stack.devices.items.some((d) => d.addresses.some((a) => a.prefix.address === address));

/** The address it is bound to, else one of the client's own; `external` is whoever is outside. */
function isClients(world: World, { client, bindAddress }: Question, { from }: QuestionSpec, address: Address): boolean {
  if (from === "external") return !isSomebodys(world, address);
  if (bindAddress !== undefined) return address === bindAddress;
  return world.stacks.some((s) => s.name === client && owns(s, address));
}

/** An address that dumps or objects give to somebody: a device has it, a route or a bridge leads to it, a pod or a node is known by it. */
const isSomebodys = (world: World, address: Address): boolean =>
  world.stacks.some((s) => owns(s, address)) ||
  ownerOf(world, address) !== undefined ||
  [...world.kubernetes.pods, ...world.kubernetes.nodes].some((o) => o.addresses.some((a) => a === address));
