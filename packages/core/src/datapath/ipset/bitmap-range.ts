import type { IpSet, Packet } from "../../model/index.ts";
import { compareAddress, contains, parseAddress, parsePrefix } from "../../net/index.ts";

/** Whether a packet's value stands within the range that a bitmap was made for. Follows bitmap_ip_kadt() and bitmap_port_kadt(). */
export function withinBitmap(
  { method, dimensions, options }: IpSet,
  packet: Packet,
  direction: "src" | "dst",
): boolean {
  const range = method === "bitmap" ? options.find((o) => o.name === "range")?.value : undefined;
  if (range === undefined) return true;
  const [from = "", to = from] = range.split("-");
  if (dimensions[0] === "port") {
    const port = direction === "src" ? packet.sport : packet.dport;
    return typeof port !== "number" || (port >= Number(from) && port <= Number(to));
  }
  const address = direction === "src" ? packet.src : packet.dst;
  const prefix = parsePrefix(range);
  if (prefix !== undefined && range.includes("/")) return contains(prefix, address);
  const [first, last] = [parseAddress(from), parseAddress(to)];
  if (first === undefined || last === undefined) return true;
  return compareAddress(address, first) >= 0 && compareAddress(address, last) <= 0;
}
