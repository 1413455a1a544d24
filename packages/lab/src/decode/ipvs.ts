import { assumed, type IpvsConnection } from "@hairpin/core/model/index.ts";
import { type Address, ipv4Of, parseAddress, protocolNumber } from "@hairpin/core/net/index.ts";

const origin = assumed("observed-in-the-lab");

/** /proc/net/ip_vs_conn: what `ipvsadm -lnc` prints, addresses and ports in hexadecimal. */
export function decodeIpvsConnections(text: string): readonly IpvsConnection[] {
  const found: IpvsConnection[] = [];
  for (const line of text.split("\n").slice(1)) {
    const [name, client, clientPort, virtual, virtualPort, real, realPort, state, expires] = line.trim().split(/\s+/);
    if (expires === undefined) continue;
    const addresses = [client, virtual, real].map((word) => addressOf(word!));
    const protocol = protocolNumber(name!);
    if (protocol === undefined || addresses.includes(undefined)) continue;
    found.push({
      protocol,
      expires,
      state: state!,
      client: addresses[0]!,
      clientPort: Number.parseInt(clientPort!, 16),
      virtual: addresses[1]!,
      virtualPort: Number.parseInt(virtualPort!, 16),
      real: addresses[2]!,
      realPort: Number.parseInt(realPort!, 16),
      origin,
    });
  }
  return found;
}

const addressOf = (word: string): Address | undefined =>
  word.includes(":") ? parseAddress(word.replace(/[[\]]/g, "")) : ipv4Of(Number.parseInt(word, 16));
