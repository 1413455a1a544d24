import { type DumpCluster, type NetworkKind, nodeName } from "./given.ts";
import { BRIDGE } from "./networks/bridge.ts";
import { CALICO } from "./networks/calico.ts";
import { ENI } from "./networks/eni.ts";
import type { PodNetwork } from "./networks/network.ts";
import { OVERLAY } from "./networks/overlay.ts";
import { ROUTED } from "./networks/routed.ts";
import { objectsOf } from "./objects.ts";
import { ProgrammedRules } from "./programmed.ts";

export { type DumpCluster, NETWORKS, type NetworkKind } from "./given.ts";

const KINDS: Readonly<Record<NetworkKind, PodNetwork>> = {
  bridge: BRIDGE,
  overlay: OVERLAY,
  routed: ROUTED,
  calico: CALICO,
  eni: ENI,
};

/** The files of the cluster one by one: a hundred nodes are never held at once. */
export function* dumpCluster(
  given: DumpCluster,
  withObjects: boolean,
): Generator<{ readonly path: string; readonly text: string }> {
  if (withObjects) yield { path: "objects.json", text: objectsOf(given, 0, given.services) };
  const programmed = new ProgrammedRules(given);
  const network = KINDS[given.network ?? "bridge"];
  for (let n = 0; n < given.nodes; n++) {
    const dumps = {
      ...network.dumps(given, n),
      "iptables-save": programmed.on(n, network.rules(given, n)),
      ...(given.neighbours === true && network.neighbours(given, n)),
    };
    for (const [name, text] of Object.entries(dumps)) yield { path: `nodes/${nodeName(n)}/${name}.txt`, text };
  }
}
