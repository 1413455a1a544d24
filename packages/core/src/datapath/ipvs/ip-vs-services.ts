import type { VirtualService, VirtualServiceKey } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";
import { memo } from "../kernel/memo.ts";

/** ip_vs_svc_table and ip_vs_svc_fwm_table (ip_vs_ctl.c): each in the order of the listing. */
interface Tables {
  readonly byAddress: ReadonlyMap<Address, readonly VirtualService[]>;
  readonly byMark: ReadonlyMap<number, readonly VirtualService[]>;
}

const tables = new WeakMap<readonly VirtualService[], Tables>();

const tablesOf = (services: readonly VirtualService[]): Tables =>
  memo(tables, services, () => {
    const byAddress = new Map<Address, VirtualService[]>();
    const byMark = new Map<number, VirtualService[]>();
    for (const service of services) {
      const { key } = service;
      if (key.kind === "fwmark") memo(byMark, key.mark, () => []).push(service);
      else memo(byAddress, key.address, () => []).push(service);
    }
    return { byAddress, byMark };
  });

const NONE: readonly VirtualService[] = [];

export const servicesAt = (services: readonly VirtualService[], address: Address): readonly VirtualService[] =>
  tablesOf(services).byAddress.get(address) ?? NONE;

export const servicesMarked = (services: readonly VirtualService[], mark: number): readonly VirtualService[] =>
  tablesOf(services).byMark.get(mark) ?? NONE;

/** The service that has this key now. */
export function serviceWith(services: readonly VirtualService[], key: VirtualServiceKey): VirtualService | undefined {
  const wanted = JSON.stringify(key);
  const here = key.kind === "fwmark" ? servicesMarked(services, key.mark) : servicesAt(services, key.address);
  return here.find((s) => JSON.stringify(s.key) === wanted);
}
