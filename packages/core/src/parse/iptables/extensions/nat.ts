import type {
  DnatTarget,
  MaskedAddress,
  MasqueradeTarget,
  NatRange,
  NetmapTarget,
  RedirectTarget,
  SnatTarget,
} from "../../../model/index.ts";
import { applyMask, type PortRange } from "../../../net/index.ts";
import { compact, given, type OptionValues, option, shown, targetExtension } from "../rule/extension.ts";
import { flag, network } from "../values/index.ts";
import { NEEDS_PROTOCOL, natPorts, natRange, portsPossible } from "./nat-range.ts";

interface NatOptions {
  to: NatRange;
  random: true;
  randomFully: true;
  persistent: true;
}

const random = option("--random", flag);
const randomFully = option("--random-fully", flag);
const persistent = option("--persistent", flag);

const natFlags = (all: OptionValues<NatOptions>) => ({
  random: all.random !== undefined,
  randomFully: all.randomFully !== undefined,
  persistent: all.persistent !== undefined,
});
const showFlags = (target: { random: boolean; randomFully?: boolean; persistent?: boolean }) => ({
  ...(target.random && { random: shown(true)! }),
  ...(target.randomFully && { randomFully: shown(true)! }),
  ...(target.persistent && { persistent: shown(true)! }),
});

export const DNAT = targetExtension<NatOptions, DnatTarget>({
  name: "DNAT",
  tables: ["nat"],
  hooks: ["PREROUTING", "OUTPUT"],
  fields: { to: option("--to-destination", natRange(true), { required: true }), random, randomFully, persistent },
  make: (all, context) =>
    all.to!.value.ports && !portsPossible(context)
      ? NEEDS_PROTOCOL
      : { kind: "dnat", to: all.to!.value, ...natFlags(all) },
  show: (target) => ({ to: given(target.to), ...showFlags(target) }),
});

export const SNAT = targetExtension<NatOptions, SnatTarget>({
  name: "SNAT",
  tables: ["nat"],
  hooks: ["POSTROUTING", "INPUT"],
  fields: { to: option("--to-source", natRange(false), { required: true }), random, randomFully, persistent },
  make: (all, context) =>
    all.to!.value.ports && !portsPossible(context)
      ? NEEDS_PROTOCOL
      : { kind: "snat", to: all.to!.value, ...natFlags(all) },
  show: (target) => ({ to: given(target.to), ...showFlags(target) }),
});

export const MASQUERADE = targetExtension<{ ports: PortRange; random: true; randomFully: true }, MasqueradeTarget>({
  name: "MASQUERADE",
  tables: ["nat"],
  hooks: ["POSTROUTING"],
  fields: { ports: option("--to-ports", natPorts), random, randomFully },
  make: ({ ports, random: r, randomFully: f }, context) =>
    ports && !portsPossible(context)
      ? NEEDS_PROTOCOL
      : compact<MasqueradeTarget>({
          kind: "masquerade",
          ports: ports?.value,
          random: r !== undefined,
          randomFully: f !== undefined,
        }),
  show: (target) => ({ ...(target.ports && { ports: given(target.ports) }), ...showFlags(target) }),
});

export const REDIRECT = targetExtension<{ ports: PortRange; random: true }, RedirectTarget>({
  name: "REDIRECT",
  tables: ["nat"],
  hooks: ["PREROUTING", "OUTPUT"],
  fields: { ports: option("--to-ports", natPorts), random },
  make: ({ ports, random: r }, context) =>
    ports && !portsPossible(context)
      ? NEEDS_PROTOCOL
      : compact<RedirectTarget>({
          kind: "redirect",
          ports: ports?.value,
          random: r !== undefined,
        }),
  show: (target) => ({ ...(target.ports && { ports: given(target.ports) }), ...showFlags(target) }),
});

export const NETMAP = targetExtension<{ to: MaskedAddress }, NetmapTarget>({
  name: "NETMAP",
  tables: ["nat"],
  hooks: ["PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"],
  fields: { to: option("--to", network, { required: true }) },
  make: ({ to }) => ({ kind: "netmap", address: applyMask(to!.value.address, to!.value.mask), mask: to!.value.mask }),
  show: (target) => ({ to: given({ address: target.address, mask: target.mask }) }),
});
