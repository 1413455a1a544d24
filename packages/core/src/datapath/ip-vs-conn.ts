import { type Packet, type Port, portKey, type RealServer, type VirtualService } from "../model/index.ts";
import { type Address, formatAddress } from "../net/index.ts";

/** struct ip_vs_conn: one balanced connection. Mutable only in its table; lives within one walk. */
export interface IpvsConn {
  readonly protocol: number;
  readonly client: Address;
  readonly clientPort: Port;
  readonly virtual: Address;
  readonly virtualPort: Port;
  readonly real: Address;
  readonly realPort: number;
  readonly service: VirtualService;
  readonly server: RealServer;
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
