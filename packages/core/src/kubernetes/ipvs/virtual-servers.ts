import { derived, type Origin, type RealServer, type VirtualService } from "../../model/index.ts";
import { type Address, formatAddress } from "../../net/index.ts";
import type { ProxyEndpoint } from "../endpoints.ts";
import { isSince } from "../version.ts";
import type { ProxyPort, ProxyView } from "../view.ts";

/** Which endpoints stand behind a virtual server. `onlyLocal`: its address has the Local policy. Follows syncEndpoint(). */
export function behind(
  { chosen, port }: ProxyPort,
  onlyLocal: boolean,
  { version }: ProxyView,
): readonly ProxyEndpoint[] {
  if (!onlyLocal) return chosen.cluster;
  // With none of its own a node sends to all (kubernetes#97081); before 1.24 it kept an empty virtual server.
  if (isSince(version, 24)) return chosen.local.length > 0 ? chosen.local : chosen.cluster;
  // FilterEndpoints() had left only local ones where the internal policy alone is Local.
  return port.externalPolicyLocal ? chosen.local : chosen.cluster;
}

/** The virtual servers of all Services, and the addresses on kube-ipvs0. Of two for one address and port the first stays. */
export class VirtualServers {
  readonly #services = new Map<string, VirtualService>();
  readonly #bound = new Map<string, Address>();
  readonly #view: ProxyView;

  constructor(view: ProxyView) {
    this.#view = view;
  }

  add(pp: ProxyPort, address: Address, number: number, onlyLocal: boolean, origin: Origin): void {
    const { port } = pp;
    const key = `${port.protocol} ${formatAddress(address)} ${number}`;
    if (this.#services.has(key)) return;
    const { ipvsScheduler: scheduler } = this.#view.config;
    this.#services.set(key, {
      key: { kind: "address", protocol: port.protocol, address, port: number },
      scheduler,
      // IP_VS_SVC_F_SCHED_MH_PORT shares its bit with --sched-flags flag-2; kube-proxy sets it for `mh` since 1.27.
      ...(scheduler === "mh" && isSince(this.#view.version, 27) ? { schedulerFlags: ["mh-port"] } : {}),
      ...(port.affinitySeconds === undefined ? {} : { persistence: port.affinitySeconds }),
      onePacket: false,
      realServers: unique(behind(pp, onlyLocal, this.#view)).map(realServer),
      extent: "whole",
      origin,
    });
  }

  bind(address: Address): void {
    this.#bound.set(formatAddress(address), address);
  }

  get services(): readonly VirtualService[] {
    return [...this.#services.values()];
  }

  get addresses(): readonly Address[] {
    return [...this.#bound.values()];
  }
}

const unique = (endpoints: readonly ProxyEndpoint[]): readonly ProxyEndpoint[] => [
  ...new Map(endpoints.map((e) => [e.text, e])).values(),
];

const realServer = ({ address, port, origin }: ProxyEndpoint): RealServer => ({
  address,
  port,
  method: "masq",
  weight: 1,
  origin: derived("an endpoint of the Service", origin),
});
