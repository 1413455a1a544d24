import type { CalicoIpPool, FlannelNetwork } from "../../../model/index.ts";
import { type Prefix, parsePrefix } from "../../../net/index.ts";
import { flagIn, type Mapping, mapIn, numberIn, textIn } from "../yaml/value.ts";
import { input, nameOf, type ObjectContext } from "./context.ts";

export function readIpPool(object: Mapping, context: ObjectContext): readonly CalicoIpPool[] {
  const spec = mapIn(object, "spec");
  const text = textIn(spec, "cidr") ?? textIn(object, "metadata", "cidr") ?? "";
  const cidr = parsePrefix(text);
  if (cidr === undefined) {
    context.warn(spec?.lineOf("cidr") ?? object.line, "ippool", `${text.slice(0, 60)} is not a network`);
    return [];
  }
  // Calico v1 resources wrote `ipip: {enabled: true, mode: always}` and `nat-outgoing`.
  const old = mapIn(spec, "ipip");
  const oldMode = flagIn(old, "enabled") === true ? (textIn(old, "mode") ?? "always") : undefined;
  return [
    {
      name: nameOf(object),
      cidr,
      natOutgoing: flagIn(spec, "natOutgoing") ?? flagIn(spec, "nat-outgoing") ?? false,
      disabled: flagIn(spec, "disabled") ?? false,
      ...input({
        ipipMode: textIn(spec, "ipipMode") ?? oldMode,
        vxlanMode: textIn(spec, "vxlanMode"),
        blockSize: numberIn(spec, "blockSize"),
        nodeSelector: textIn(spec, "nodeSelector"),
      }),
      origin: context.originOf(object),
    },
  ];
}

/** flannel's `net-conf.json`, as it stands in its ConfigMap or in a file. */
export function readNetConf(text: string, line: number, context: ObjectContext): readonly FlannelNetwork[] {
  let conf: Record<string, unknown>;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null) return [];
    conf = parsed as Record<string, unknown>;
  } catch {
    context.warn(line, "net-conf", "flannel's net-conf.json is cut off or damaged");
    return [];
  }
  const backend = (typeof conf.Backend === "object" && conf.Backend !== null ? conf.Backend : {}) as Record<
    string,
    unknown
  >;
  const networks = [conf.Network, conf.IPv6Network].flatMap((n): Prefix[] => {
    const prefix = typeof n === "string" ? parsePrefix(n) : undefined;
    return prefix === undefined ? [] : [prefix];
  });
  const number = (v: unknown) => (typeof v === "number" ? v : undefined);
  return [
    {
      networks,
      ...input({
        backend: typeof backend.Type === "string" ? backend.Type.toLowerCase() : undefined,
        vni: number(backend.VNI),
        port: number(backend.Port),
        directRouting: typeof backend.DirectRouting === "boolean" ? backend.DirectRouting : undefined,
      }),
      origin: context.origin(line),
    },
  ];
}
