import { type Prefix, parsePrefix } from "../../net/index.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { Reading } from "../dialect.ts";
import { originAt, type Source } from "../source.ts";

/** `/run/flannel/subnet.env`: which subnet flannel gave this node. docker's options beside it are let be. */
export function readFlannelEnv(source: Source, node?: string): Reading {
  const networks: Prefix[] = [];
  const subnets: Prefix[] = [];
  const diagnostics: Diagnostic[] = [];
  let mtu: number | undefined;
  let ipMasq: boolean | undefined;
  let first = -1;
  source.lines.forEach((text, i) => {
    const match = /^(?:export )?FLANNEL_(\w{1,30})=["']?([^"'\s]*)["']?\s*$/.exec(text.slice(0, 400));
    if (match === null) return;
    const [, key, value] = match;
    if (key === "MTU" && /^\d{1,5}$/.test(value!)) mtu = Number(value);
    else if (key === "IPMASQ") ipMasq = value === "true";
    else if (/^(?:IPV6_)?(?:NETWORK|SUBNET)$/.test(key!)) {
      const list = key!.endsWith("SUBNET") ? subnets : networks;
      for (const part of value!.split(",").filter((p) => p !== "")) {
        const prefix = parsePrefix(part);
        if (prefix === undefined)
          diagnostics.push(diagnose(source, i, text.indexOf(part), "flannel-network", `${part} is not a network`));
        else list.push(prefix);
      }
    } else return;
    if (first < 0 || key === "SUBNET") first = i;
  });
  const subnet = {
    ...(node !== undefined && { node }),
    networks,
    subnets,
    ...(mtu !== undefined && { mtu }),
    ...(ipMasq !== undefined && { ipMasq }),
    origin: originAt(source, Math.max(0, first)),
  };
  const found = first >= 0;
  return {
    facts: found ? [{ kind: "flannel-subnet", subnet }] : [],
    diagnostics,
    counts: { settings: source.lines.length },
  };
}
