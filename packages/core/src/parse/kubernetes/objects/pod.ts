import type { ContainerPort, KubernetesPod } from "../../../model/index.ts";
import { type Address, parseAddress } from "../../../net/index.ts";
import { flagIn, type Mapping, mapsIn, numberIn, textIn, valueIn } from "../yaml/value.ts";
import { input, labelsIn, nameOf, type ObjectContext } from "./context.ts";

export function readPod(object: Mapping, context: ObjectContext): KubernetesPod {
  const addresses: Address[] = [];
  const add = (text: string | undefined, line: number) => {
    if (text === undefined || text === "") return;
    for (const a of context.address(text, line)) if (!addresses.some((b) => a === b)) addresses.push(a);
  };
  add(textIn(object, "status", "podIP"), object.line);
  for (const ip of mapsIn(object, "status", "podIPs")) add(textIn(ip, "ip"), ip.line);
  const ready = mapsIn(object, "status", "conditions").find((c) => textIn(c, "type") === "Ready");
  const hostAddress = textIn(object, "status", "hostIP");
  const ports = mapsIn(object, "spec", "containers").flatMap((c) =>
    mapsIn(c, "ports").flatMap((p) => readPort(p, context)),
  );
  return {
    namespace: textIn(object, "metadata", "namespace") ?? context.namespace,
    name: nameOf(object),
    addresses,
    hostNetwork: flagIn(object, "spec", "hostNetwork") ?? false,
    ...input({
      nodeName: textIn(object, "spec", "nodeName"),
      hostAddress: hostAddress === undefined ? undefined : parseAddress(hostAddress),
      labels: labelsIn(valueIn(object, "metadata", "labels")),
      ports: ports.length > 0 ? ports : undefined,
      phase: textIn(object, "status", "phase"),
      ready: ready === undefined ? undefined : /^true$/i.test(textIn(ready, "status") ?? ""),
    }),
    form: "object",
    origin: context.originOf(object),
  };
}

function readPort(port: Mapping, context: ObjectContext): readonly ContainerPort[] {
  const number = context.port(port.get("containerPort"), port.lineOf("containerPort") ?? port.line);
  if (number === undefined) return [];
  return [
    {
      protocol: context.protocol(textIn(port, "protocol"), port.lineOf("protocol") ?? port.line),
      port: number,
      ...input({
        name: textIn(port, "name"),
        hostPort: numberIn(port, "hostPort"),
        hostAddress: parseAddress(textIn(port, "hostIP") ?? ""),
      }),
    },
  ];
}
