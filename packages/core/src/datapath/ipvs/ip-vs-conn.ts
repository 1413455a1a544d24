import {
  type IpvsConnection,
  type Origin,
  type Packet,
  type Port,
  portKey,
  type RealServer,
  type Stack,
  type VirtualService,
} from "../../model/index.ts";
import { type Address, formatAddress } from "../../net/index.ts";
import { servicesAt } from "./ip-vs-services.ts";
import { type IpvsTcpState, isIpvsTcpState } from "./ip-vs-tcp-state.ts";

/** struct ip_vs_conn: one balanced connection. Mutable: it lives within one walk. */
export interface IpvsConn {
  readonly protocol: number;
  readonly client: Address;
  readonly clientPort: Port;
  readonly virtual: Address;
  readonly virtualPort: Port;
  readonly real: Address;
  readonly realPort: Port;
  /** As they were when the connection began; its server may have been taken away since. */
  readonly service: VirtualService;
  readonly server: RealServer;
  /** IP_VS_CONN_F_NFCT: vs.conntrack when the connection began; absent for one from a dump. */
  tracked?: boolean;
  /** Made by a persistence template: a new SYN does not make it anew. */
  readonly controlled: boolean;
  state: IpvsTcpState;
}

/** A persistence template: where the next connection of a client, or of its network, goes. */
export interface IpvsTemplate {
  /** 0 for a service by firewall mark. */
  readonly protocol: number;
  /** The client's address under the service's mask. */
  readonly client: Address;
  /** The virtual address, or the firewall mark. */
  readonly virtual: Address;
  readonly virtualPort: number;
  readonly real: Address;
  readonly realPort: number;
  readonly origin?: Origin;
}

const key = (a: Address, p: Port): string => `${formatAddress(a)}:${portKey(p)}`;

/** ip_vs_conn_in_get(): a request of a known connection, by client and virtual address. */
export const connIn = (conns: readonly IpvsConn[], p: Packet): IpvsConn | undefined =>
  conns.find(
    (c) =>
      c.protocol === p.protocol &&
      key(c.client, c.clientPort) === key(p.src, p.sport) &&
      key(c.virtual, c.virtualPort) === key(p.dst, p.dport),
  );

/** ip_vs_conn_out_get(): an answer of the real server to the client. */
export const connOut = (conns: readonly IpvsConn[], p: Packet): IpvsConn | undefined =>
  conns.find(
    (c) =>
      c.protocol === p.protocol &&
      key(c.real, c.realPort) === key(p.src, p.sport) &&
      key(c.client, c.clientPort) === key(p.dst, p.dport),
  );

/** Connections that `ipvsadm -lnc` showed. One whose service is no more has a server that is not available. */
export function connectionsOf(stack: Stack): IpvsConn[] {
  return stack.ipvs.connections
    .filter((c) => c.clientPort !== 0)
    .map((c) => {
      const service = serviceOf(stack, c);
      const server = service?.realServers.find((s) => s.address === c.real && s.port === c.realPort);
      const made: VirtualService = service ?? {
        key: { kind: "address", protocol: c.protocol, address: c.virtual, port: c.virtualPort },
        scheduler: "",
        onePacket: false,
        realServers: [],
        extent: "whole",
        origin: c.origin,
      };
      const { protocol, client, clientPort, virtual, virtualPort, real, realPort } = c;
      return {
        ...{ protocol, client, clientPort, virtual, virtualPort, real, realPort },
        service: made,
        server: server ?? { address: real, port: realPort, method: "masq", weight: 0, origin: c.origin },
        controlled: made.persistence !== undefined,
        state: isIpvsTcpState(c.state) ? c.state : "NONE",
      };
    });
}

const serviceOf = (stack: Stack, c: IpvsConnection): VirtualService | undefined =>
  servicesAt(stack.ipvs.services, c.virtual).find(
    ({ key: k }) => k.kind === "address" && k.protocol === c.protocol && (k.port === c.virtualPort || k.port === 0),
  );

/** Templates that `ipvsadm -lnc` showed: those without a client port. */
export const templatesOf = (stack: Stack): IpvsTemplate[] =>
  stack.ipvs.connections
    .filter((c) => c.clientPort === 0)
    .map(({ protocol, client, virtual, virtualPort, real, realPort, origin }) => ({
      ...{ protocol, client, virtual, virtualPort, real, realPort, origin },
    }));
