import { gapsOf, type ProxyConfig } from "../../kubernetes/index.ts";
import { type MessageId, say } from "../../messages/index.ts";
import type { KubernetesObjects } from "../../model/index.ts";
import type { Ledger } from "../ledger.ts";

const SHOWN = 4;

/** What the objects left open of what kube-proxy went by: one line for each kind, however many Services. */
export function listGaps(objects: KubernetesObjects, config: ProxyConfig, ledger: Ledger): void {
  const kinds = new Map<MessageId, string[]>();
  for (const { text, service } of gapsOf({ ...objects, config })) {
    const name = service === undefined ? "" : `${service.namespace}/${service.name}`;
    const names = kinds.get(text.id);
    if (names === undefined) kinds.set(text.id, [name]);
    else names.push(name);
    if (service === undefined) ledger.assume(text.id, "", say(text));
  }
  for (const [id, names] of kinds) {
    if (names[0] === "") continue;
    const more = names.length > SHOWN ? ` and ${names.length - SHOWN + 1} more` : "";
    const list = `${names.slice(0, more === "" ? SHOWN : SHOWN - 1).join(", ")}${more}`;
    ledger.assume(id, list, say({ id, params: { service: list } }));
  }
}
