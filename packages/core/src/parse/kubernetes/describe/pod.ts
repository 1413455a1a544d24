import type { ContainerPort, KubernetesPod } from "../../../model/index.ts";
import { parseAddress } from "../../../net/index.ts";
import { input, type ObjectContext } from "../objects/context.ts";
import { type Description, textOf } from "./fields.ts";

/** `Ports: 8080/TCP, 9090/TCP` of its containers. */
const portsOf = ({ fields }: Description, context: ObjectContext): readonly ContainerPort[] =>
  fields
    .filter((f) => f.nested && /^Ports?$/.test(f.name))
    .flatMap((f) =>
      f.value.split(",").flatMap((text): readonly ContainerPort[] => {
        const match = /^(\d{1,5})\/(TCP|UDP|SCTP)(?: \(([^)]{1,63})\))?$/.exec(text.trim());
        if (match === null) return [];
        const [, port, protocol, name] = match;
        return [{ port: Number(port), protocol: context.protocol(protocol, f.line), ...input({ name }) }];
      }),
    );

/** A Pod as `kubectl describe` tells of it: `Node: worker-1/10.0.0.5`. */
export function describedPod(described: Description, context: ObjectContext): KubernetesPod {
  const value = (name: string): string | undefined => textOf(described, name);
  const [node, host] = (value("Node") ?? "").split("/");
  const hostAddress = host === undefined ? undefined : parseAddress(host);
  const address = parseAddress(value("IP") ?? "");
  const ports = portsOf(described, context);
  return {
    namespace: value("Namespace") ?? context.namespace,
    name: value("Name") ?? "",
    addresses: address === undefined ? [] : [address],
    hostNetwork: address !== undefined && address === hostAddress,
    ...input({
      nodeName: node === "" ? undefined : node,
      hostAddress,
      phase: value("Status"),
      ports: ports.length > 0 ? ports : undefined,
    }),
    form: "row",
    origin: context.origin(described.line),
  };
}
