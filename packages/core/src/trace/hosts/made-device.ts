import { jhash } from "../../datapath/index.ts";
import { type Address, bytesOf, formatAddress, isIpv4, lowBitsOf } from "../../net/index.ts";

/** IFNAMSIZ with its last byte, which is zero. */
const LONGEST = 15;

/**
 * What the node's end of a pod's veth is called where nobody showed it: a name that a kernel takes (dev_valid_name()), so that the lab can make it, with the
 * address in it if that fits, else in hexadecimal.
 */
export function madeDevice(kind: "veth" | "port", address: Address): string {
  const four = isIpv4(address);
  const name = `${kind}-${formatAddress(address)}`;
  if (four && name.length <= LONGEST) return name;
  const number = four ? lowBitsOf(address) : jhash(bytesOf(address), 0);
  return `${kind}-${(number >>> 0).toString(16).padStart(8, "0")}`;
}
