import { gapsOf, type ProxyConfig } from "../../kubernetes/index.ts";
import { type MessageId, text } from "../../messages/index.ts";
import type { KubernetesObjects } from "../../model/index.ts";
import type { Ledger } from "../ledger.ts";

const SHOWN = 4;

/** What the objects left open of what kube-proxy went by: one line for each kind, however many Services. */
export function listGaps(objects: KubernetesObjects, config: ProxyConfig, ledger: Ledger): void {
  const kinds = new Map<MessageId, string[]>();
  for (const { text: gap, service } of gapsOf({ ...objects, config })) {
    const name = service === undefined ? "" : `${service.namespace}/${service.name}`;
    const names = kinds.get(gap.id);
    if (names === undefined) kinds.set(gap.id, [name]);
    else names.push(name);
    if (service === undefined) ledger.assume(gap.id, "", gap);
  }
  for (const [id, names] of kinds) {
    if (names[0] === "") continue;
    const service =
      names.length > SHOWN
        ? text("assume.and-more", { names: names.slice(0, SHOWN - 1), count: names.length - SHOWN + 1 })
        : names;
    ledger.assume(id, names.join(","), { id, params: { service } });
  }
}
