import type { Change, PatchStep } from "../assemble/index.ts";
import { headerMismatch } from "../model/index.ts";
import { formatAddress, isHost } from "../net/index.ts";
import type { FlowOutcome } from "./outcome.ts";

const BUILT_IN: ReadonlySet<string> = new Set(["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"]);

/**
 * Whether a change can touch a flow that went this way. What a packet never came near cannot change it: the stack, the
 * device a switch belongs to, a rule of a base chain whose addresses or devices are others. Addresses and links may draw a
 * flow to them that was never there before, so they touch every flow.
 */
export const touches = (steps: readonly PatchStep[], flow: FlowOutcome): boolean =>
  steps.some((step) => step.changes.some((change) => touched(step.before.name, change, flow)));

function touched(stack: string, change: Change, flow: FlowOutcome): boolean {
  if (change.kind === "ip" && change.command.kind === "link" && !isPortSetting(change)) return true;
  if (change.kind === "ip" && change.command.kind === "address") {
    const { address } = change.command;
    // A /32 brings no route along but its own: only packets that carry the address can tell.
    return (
      address === undefined || !isHost(address.prefix) || flow.addresses.has(formatAddress(address.prefix.address))
    );
  }
  if (!flow.stacks.has(stack)) return false;
  const here = flow.hooks.filter((h) => h.stack === stack);
  switch (change.kind) {
    case "sysctl": {
      const device = /^net\.ipv4\.conf\.([^.]+)\./.exec(change.command.key)?.[1]?.replaceAll("/", ".");
      return device === undefined || device === "all" || device === "default" || flow.devices.has(`${stack}/${device}`);
    }
    case "iptables": {
      const { operation, table } = change.command;
      if (!("rule" in operation) || !BUILT_IN.has(operation.chain)) return true;
      return here.some(
        (h) =>
          h.table === table &&
          h.hook === operation.chain &&
          headerMismatch(operation.rule, h.packet, h.in, h.out) === undefined,
      );
    }
    case "ipvs": {
      const { operation: o } = change.command;
      const key = "key" in o ? o.key : "service" in o ? o.service.key : undefined;
      if (key?.kind !== "address") return true;
      return here.some((h) => formatAddress(h.packet.dst) === formatAddress(key.address) || h.table === "ipvs");
    }
    case "conntrack":
      return here.some((h) => change.selector.protocol === undefined || change.selector.protocol === h.packet.protocol);
    case "offload":
      return false;
    default:
      return true;
  }
}

/** Hairpin mode and the like: of a port, not of where the device leads. */
export const isPortSetting = (change: Change): boolean =>
  change.kind === "ip" && change.command.kind === "link" && change.command.change.type === "bridge_slave";
