import { type Device, derived, type Stack, type SysctlEntry } from "../../model/index.ts";
import { applyIpset } from "../../parse/ipset/index.ts";
import { applyCommand } from "../../parse/iptables/command/apply.ts";
import { applyIpvs } from "../../parse/ipvs/index.ts";
import { applyNft } from "../../parse/nft/index.ts";
import { applySysctl } from "../../parse/sysctl/index.ts";
import { answered, type Change, type Changed, changed, refused } from "./change.ts";
import { selects } from "./conntrack.ts";
import { applyIp } from "./ip.ts";

/** A stack after one change, with what the kernel makes of it. Nothing is changed in place. */
export function applyChange(stack: Stack, change: Change): Changed {
  switch (change.kind) {
    case "iptables": {
      const result = applyCommand(stack.netfilter.tables, change.command);
      if ("error" in result) return answered(`iptables: ${result.error.message}`);
      return changed({ ...stack, netfilter: { ...stack.netfilter, tables: result.tables } });
    }
    case "nft": {
      const { nft, nativeNft, ...rest } = stack.netfilter;
      const result = applyNft(nft ?? [], change.command, change.origin);
      if ("error" in result) return answered(`nft: ${result.error}`);
      const { tables } = result;
      const unread = nativeNft.filter((u) => tables.some((t) => `${t.family} ${t.name}` === u.name));
      return changed({ ...stack, netfilter: { ...rest, nft: tables, nativeNft: unread } });
    }
    case "ip":
      return applyIp(stack, change.command);
    case "ipset": {
      const { state, refused: refusals } = applyIpset({ sets: stack.ipsets.items, extent: stack.ipsets.extent }, [
        change.command,
      ]);
      const [refusal] = refusals;
      if (refusal !== undefined) return answered(`ipset: ${refusal.reason}`);
      return changed({ ...stack, ipsets: { items: state.sets, extent: state.extent } });
    }
    case "ipvs": {
      const { services, extent, connections } = stack.ipvs;
      const { state, refused: refusals } = applyIpvs({ services, extent }, [change.command]);
      const [refusal] = refusals;
      if (refusal !== undefined) return answered(`ipvsadm: ${refusal.reason}`);
      return changed({ ...stack, ipvs: { ...state, connections } });
    }
    case "sysctl":
      return setSysctl(stack, change);
    case "hairpin":
      return setHairpin(stack, change.port, change.on);
    case "module":
      return changed({ ...stack, sysctls: withBrNetfilter(stack.sysctls, change) });
    case "offload":
      return stack.devices.items.some((d) => d.name === change.device)
        ? changed(stack)
        : refused({ kind: "no-device", stack: stack.name, device: change.device });
    case "service":
      return refused({ kind: "of-the-cluster" });
    case "conntrack": {
      const items = stack.conntrack.items.filter((entry) => !selects(change.selector, entry));
      return changed({ ...stack, conntrack: { ...stack.conntrack, items } });
    }
  }
}

function setSysctl(stack: Stack, { command }: Extract<Change, { kind: "sysctl" }>): Changed {
  const names = stack.devices.items.map((d) => d.name);
  const conf = /^net\.ipv[46]\.conf\.([^.]+)\./.exec(command.key)?.[1]?.replaceAll("/", ".");
  const known =
    conf === undefined || conf === "all" || conf === "default" || conf.includes("*") || names.includes(conf);
  if (!known && stack.devices.extent === "whole")
    return refused({ kind: "no-device", stack: stack.name, device: conf });
  return changed({ ...stack, sysctls: applySysctl(stack.sysctls, [command], names) });
}

function setHairpin(stack: Stack, port: string, on: boolean): Changed {
  if (!stack.devices.items.some((d) => d.name === port))
    return refused({ kind: "no-device", stack: stack.name, device: port });
  const items = stack.devices.items.map(
    (d): Device => (d.name === port ? { ...d, port: { ...d.port, hairpin: on } } : d),
  );
  return changed({ ...stack, devices: { ...stack.devices, items } });
}

/** br_netfilter_init_net(): the switches appear, all on; those that are there stay as they are. */
function withBrNetfilter(
  sysctls: ReadonlyMap<string, SysctlEntry>,
  { origin, remove }: Extract<Change, { kind: "module" }>,
): ReadonlyMap<string, SysctlEntry> {
  const after = new Map(sysctls);
  for (const table of ["iptables", "ip6tables", "arptables"]) {
    const key = `net.bridge.bridge-nf-call-${table}`;
    if (remove) {
      after.set(key, { key, value: "0", origin: derived("br_netfilter is not loaded", origin) });
      continue;
    }
    const shown = after.get(key);
    if (shown === undefined || shown.origin.kind === "derived") after.set(key, { key, value: "1", origin });
  }
  return after;
}
