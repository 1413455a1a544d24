import type { SetDimension, SetMethod } from "../../model/index.ts";

export interface SetType {
  readonly method: SetMethod;
  readonly dimensions: readonly SetDimension[];
}

/** Every type the kernel has had (net/netfilter/ipset/ip_set_*.c). */
export const SET_TYPES: readonly string[] = [
  "bitmap:ip",
  "bitmap:ip,mac",
  "bitmap:port",
  "hash:ip",
  "hash:ip,mac",
  "hash:ip,mark",
  "hash:ip,port",
  "hash:ip,port,ip",
  "hash:ip,port,net",
  "hash:mac",
  "hash:net",
  "hash:net,iface",
  "hash:net,net",
  "hash:net,port",
  "hash:net,port,net",
  "list:set",
];

/** Names that ipset still takes from its fourth version and before. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["ipmap", "bitmap:ip"],
  ["macipmap", "bitmap:ip,mac"],
  ["portmap", "bitmap:port"],
  ["iphash", "hash:ip"],
  ["iptree", "hash:ip"],
  ["iptreemap", "hash:ip"],
  ["ipmarkhash", "hash:ip,mark"],
  ["ipporthash", "hash:ip,port"],
  ["ipportiphash", "hash:ip,port,ip"],
  ["ipportnethash", "hash:ip,port,net"],
  ["machash", "hash:mac"],
  ["nethash", "hash:net"],
  ["netifacehash", "hash:net,iface"],
  ["netnethash", "hash:net,net"],
  ["netporthash", "hash:net,port"],
  ["netportnethash", "hash:net,port,net"],
  ["setlist", "list:set"],
]);

const BY_NAME: ReadonlyMap<string, SetType> = new Map(
  SET_TYPES.map((name) => {
    const [method, dimensions] = name.split(":") as [SetMethod, string];
    return [name, { method, dimensions: dimensions.split(",") as SetDimension[] }];
  }),
);

export const setType = (name: string): SetType | undefined => BY_NAME.get(ALIASES.get(name) ?? name);

export const typeName = (type: SetType): string => `${type.method}:${type.dimensions.join(",")}`;
