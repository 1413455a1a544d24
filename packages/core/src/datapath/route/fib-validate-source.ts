import type { Device, Origin, SourceDecision, SourceValidationStep } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { devConf, devConfFlag, possibleConf } from "../kernel/sysctl.ts";
import { type FlowKey, fibLookup, routeUsesDevice } from "./fib.ts";
import { flowPortsBack } from "./flow-ports.ts";
import { hasIpv4Address } from "./inet-select-addr.ts";
import { isRouteError } from "./route-result.ts";

export type SourceValidation = "ok" | "rp_filter" | "martian source";

interface SourceCheck {
  readonly result: SourceValidation;
  readonly decision: SourceDecision;
  readonly reverseDevice?: string;
  readonly reverseType?: string;
  readonly origins: readonly Origin[];
}

/** What rules may test of a packet beside its addresses and devices, the way back. */
export type FlowBack = Pick<FlowKey, "mark" | "tos" | "protocol" | "sport" | "dport">;

const flowBack = ({ packet, mark }: Skb): FlowBack => ({
  mark,
  tos: packet.tos,
  protocol: packet.protocol,
  ...flowPortsBack(packet),
});

/**
 * Is the source of this packet plausible on the device it came in by? Follows fib_validate_source() (fib_frontend.c).
 * The addresses are those after PREROUTING translated them: the reverse look-up of a reply uses the de-NATed
 * destination as its source, so `from POD` rules apply to it. `forwardTo` is the egress device, or undefined when the
 * packet is for this stack.
 */
export function fibValidateSource(
  kernel: Kernel,
  skb: Skb,
  device: Device,
  src: Address,
  dst: Address,
  forwardTo: Device | undefined,
  flow: FlowBack = flowBack(skb),
): SourceValidation {
  const outcome = decide(kernel, flow, device, src, dst, forwardTo);
  if (!kernel.recording) {
    kernel.meetAll(skb, outcome.origins);
    return outcome.result;
  }
  const rpf = possibleConf(kernel, "rp_filter", device.name);
  const step: SourceValidationStep = {
    kind: "source validation",
    stack: kernel.name,
    packet: skb.packet,
    device: device.name,
    rpFilter: rpf.values.join("|"),
    result: outcome.result,
    ...(outcome.reverseDevice !== undefined && { reverseDevice: outcome.reverseDevice }),
    ...(outcome.reverseType !== undefined && { reverseType: outcome.reverseType }),
    decision: outcome.decision,
    origins: outcome.origins,
  };
  kernel.record(skb, step);
  return outcome.result;
}

function decide(
  kernel: Kernel,
  flow: FlowBack,
  device: Device,
  src: Address,
  dst: Address,
  forwardTo: Device | undefined,
): SourceCheck {
  const possible = possibleConf(kernel, "rp_filter", device.name).values;
  if (possible.length === 1) return check(kernel, flow, device, src, dst, forwardTo, Number(possible[0]));
  const outcomes = new Map(possible.map((v) => [v, check(kernel, flow, device, src, dst, forwardTo, Number(v))]));
  const first = outcomes.get(possible[0]!)!;
  if ([...outcomes.values()].every((o) => o.result === first.result)) return first;
  // Only now does the value matter: ask for it.
  const chosen = devConf(kernel, "rp_filter", device.name);
  return outcomes.get(chosen.value) ?? first;
}

function check(
  kernel: Kernel,
  flow: FlowBack,
  device: Device,
  src: Address,
  dst: Address,
  forwardTo: Device | undefined,
  rpf: number,
): SourceCheck {
  const confOrigins = possibleConf(kernel, "rp_filter", device.name).origins;
  const redirects = forwardTo === device && devConfFlag(kernel, "send_redirects", device.name);
  if (rpf === 0 && !redirects) {
    // The shortcut: with no custom rules and no custom local routes only interface addresses are refused.
    if (devConfFlag(kernel, "accept_local", device.name)) {
      return { result: "ok", decision: { kind: "rp-off", acceptLocal: true }, origins: confOrigins };
    }
    if (!kernel.compiled.hasCustomRules && !kernel.compiled.hasCustomLocalRoutes) {
      const own = kernel.compiled.interfaceAddress(src);
      if (own === undefined)
        return { result: "ok", decision: { kind: "rp-off", acceptLocal: false }, origins: confOrigins };
      return ownSource(own.device.name, own.address.origin);
    }
  }
  const reverse = fibLookup(kernel, keyBack(kernel, flow, device, src, dst, forwardTo));
  if (isRouteError(reverse)) {
    if (rpf === 0) return { result: "ok", decision: { kind: "rp-no-route-off" }, origins: reverse.origins };
    return {
      result: "rp_filter",
      decision: { kind: "rp-no-route", errno: reverse.errno, value: rpf },
      reverseType: reverse.errno,
      origins: [...reverse.origins, ...confOrigins],
    };
  }
  const found = { reverseDevice: reverse.device.name, reverseType: reverse.type };
  if (reverse.type !== "unicast") {
    if (reverse.type !== "local" || !devConfFlag(kernel, "accept_local", device.name)) {
      return reverse.type === "local"
        ? { ...ownSource(reverse.device.name, ...reverse.origins), ...found }
        : {
            result: "martian source",
            decision: { kind: "rp-source-type", type: reverse.type },
            ...found,
            origins: reverse.origins,
          };
    }
  }
  if (routeUsesDevice(reverse, device.name) || (reverse.type === "local" && device.kind === "loopback")) {
    return {
      result: "ok",
      decision: { kind: "rp-same-device", device: device.name },
      ...found,
      origins: reverse.origins,
    };
  }
  const origins = [...reverse.origins, ...confOrigins];
  if (!hasIpv4Address(device)) {
    if (rpf === 0) return { result: "ok", decision: { kind: "rp-off", acceptLocal: false }, ...found, origins };
    return {
      result: "rp_filter",
      decision: { kind: "rp-no-address", device: device.name, back: reverse.device.name },
      ...found,
      origins,
    };
  }
  if (rpf === 1) {
    return {
      result: "rp_filter",
      decision: { kind: "rp-strict", device: device.name, back: reverse.device.name },
      ...found,
      origins,
    };
  }
  return {
    result: "ok",
    decision: { kind: "rp-passes", back: reverse.device.name, value: rpf },
    ...found,
    origins,
  };
}

const keyBack = (
  kernel: Kernel,
  flow: FlowBack,
  device: Device,
  src: Address,
  dst: Address,
  forwardTo: Device | undefined,
): FlowKey => ({
  ...flow,
  daddr: src,
  saddr: dst,
  iif: forwardTo?.name ?? "lo",
  mark: devConfFlag(kernel, "src_valid_mark", device.name) ? flow.mark : 0,
});

/**
 * Whether __fib_validate_source() returns 1 for what goes back out of the device it came in by: the next hop on the way back is the sender itself
 * (RT_SCOPE_HOST), by this device at least.
 */
export function isOnLink(kernel: Kernel, skb: Skb, device: Device): boolean {
  const key = keyBack(kernel, flowBack(skb), device, skb.packet.src, skb.packet.dst, device);
  const reverse = fibLookup(kernel, key);
  if (isRouteError(reverse)) return false;
  if (routeUsesDevice(reverse, device.name)) return reverse.gateway === undefined;
  if (!hasIpv4Address(device)) return false;
  const byDevice = fibLookup(kernel, { ...key, oif: device.name });
  return !isRouteError(byDevice) && byDevice.type === "unicast" && byDevice.gateway === undefined;
}

const ownSource = (device: string, ...origins: readonly Origin[]): SourceCheck => ({
  result: "martian source",
  decision: { kind: "own-source", device },
  reverseDevice: device,
  reverseType: "local",
  origins,
});
