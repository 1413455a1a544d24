/** A case made to cost as much as it can: its files at size n, and the question it is asked with. */
export interface Shape {
  readonly name: string;
  /** The smallest of three sizes: n, 2n and 4n are tried. */
  readonly n: number;
  readonly files: (n: number) => Readonly<Record<string, string>>;
  readonly to?: string;
  readonly from?: string;
}

export const lines = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join("\n");

export const ADDR = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,UP,LOWER_UP> mtu 1500
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.1/24 scope global eth0
`;
export const ROUTE = "default via 10.0.0.254 dev eth0\n10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.1\n";
export const RULE = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n";
export const HEAD = ":INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n";
export const NAT_HEAD = ":PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n";

export const node = (files: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  "ip-addr.txt": ADDR,
  "ip-route.txt": ROUTE,
  "ip-rule.txt": RULE,
  ...files,
});
export const filter = (chains: string, rules: string): Readonly<Record<string, string>> =>
  node({ "iptables-save.txt": `*filter\n${HEAD}${chains}${rules}\nCOMMIT\n*nat\n${NAT_HEAD}COMMIT\n` });
export const nat = (chains: string, rules: string): Readonly<Record<string, string>> =>
  node({ "iptables-save.txt": `*nat\n${NAT_HEAD}${chains}${rules}\nCOMMIT\n*filter\n${HEAD}COMMIT\n` });

export const octets = (i: number): string => `${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
export const bit = (i: number): string => `0x${(2 ** (i % 32)).toString(16)}`;
/** Lines in an order that is the same each time and like no other. */
export const shuffled = (text: string): string =>
  text
    .split("\n")
    .map((line, i) => ({ line, key: ((i + 1) * 2654435761) % 4294967296 }))
    .sort((a, b) => a.key - b.key)
    .map(({ line }) => line)
    .join("\n");
