import type { KubernetesEndpoints, KubernetesObjects, KubernetesPod, KubernetesService } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";

/** What objects say of addresses and Services, looked up often. */
export class ByAddress {
  readonly pods = new Map<Address, KubernetesPod[]>();
  readonly ends = new Map<Address, string[]>();
  readonly nodes = new Map<Address, number>();
  /** Nodes on which objects say that it is. */
  readonly homes = new Map<Address, Set<string>>();
  readonly services = new Map<string, KubernetesService[]>();
  readonly slices = new Map<string, KubernetesEndpoints[]>();

  constructor({ pods, nodes, endpoints, services }: KubernetesObjects) {
    const at = (address: Address, node: string | undefined): void => {
      if (node !== undefined) this.homes.set(address, (this.homes.get(address) ?? new Set()).add(node));
    };
    for (const pod of pods)
      for (const address of new Set(pod.addresses)) {
        push(this.pods, address, pod);
        at(address, pod.nodeName);
      }
    for (const { addresses } of nodes)
      for (const address of new Set(addresses)) this.nodes.set(address, (this.nodes.get(address) ?? 0) + 1);
    for (const slice of endpoints) {
      push(this.slices, `${slice.namespace}/${slice.service}`, slice);
      const ports = slice.ports.map((p) => `${p.protocol}:${p.port}`).join();
      for (const { addresses, ready, serving, terminating, nodeName } of slice.endpoints)
        for (const address of new Set(addresses)) {
          push(this.ends, address, `${ports} ${ready} ${serving} ${terminating}`);
          at(address, nodeName);
        }
    }
    for (const service of services) push(this.services, `${service.namespace}/${service.name}`, service);
  }
}

function push<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}
