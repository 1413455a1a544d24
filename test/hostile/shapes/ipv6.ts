import { ADDR, bit, HEAD, lines, NAT_HEAD, type Shape } from "./shape.ts";

const ADDR6 = `${ADDR}    inet6 2001:db8::1/64 scope global\n    inet6 fe80::1/64 scope link\n`;
const ROUTE6 =
  "2001:db8::/64 dev eth0 proto kernel metric 256 pref medium\nfe80::/64 dev eth0 proto kernel metric 256 pref medium\ndefault via 2001:db8::fe dev eth0 metric 1024 pref medium\n";
const RULE6 = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n";
/** The same in the other family. */
const node6 = (files: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  "ip-addr.txt": ADDR6,
  "ip-6-route.txt": ROUTE6,
  "ip-6-rule.txt": RULE6,
  ...files,
});
const filter6 = (chains: string, rules: string): Readonly<Record<string, string>> =>
  node6({ "ip6tables-save.txt": `*filter\n${HEAD}${chains}${rules}\nCOMMIT\n*nat\n${NAT_HEAD}COMMIT\n` });
const nat6 = (chains: string, rules: string): Readonly<Record<string, string>> =>
  node6({ "ip6tables-save.txt": `*nat\n${NAT_HEAD}${chains}${rules}\nCOMMIT\n*filter\n${HEAD}COMMIT\n` });
const TO6 = "[2001:db8:96::1]:443";
const groups = (i: number): string => `${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}`;

export const IPV6_SHAPES: readonly Shape[] = [
  {
    name: "IPv6 chains that jump twice to the next",
    n: 12,
    to: TO6,
    files: (n) =>
      filter6(
        `${lines(n + 1, (i) => `:C${i} - [0:0]`)}\n`,
        `-A OUTPUT -j C0\n${lines(n, (i) => `-A C${i} -j C${i + 1}\n-A C${i} -j C${i + 1}`)}\n-A C${n} -j RETURN`,
      ),
  },
  {
    name: "IPv6 marks by chance",
    n: 50,
    to: TO6,
    files: (n) =>
      filter6(
        "",
        lines(
          n,
          (i) => `-A OUTPUT -m statistic --mode random --probability 0.5 -j MARK --set-xmark ${bit(i)}/${bit(i)}`,
        ),
      ),
  },
  {
    name: "IPv6 rules that all match",
    n: 20_000,
    to: TO6,
    files: (n) =>
      filter6(
        "",
        lines(n, (i) => `-A OUTPUT -j MARK --set-xmark ${bit(i)}/${bit(i)}`),
      ),
  },
  {
    name: "IPv6 endpoints by chance",
    n: 500,
    to: TO6,
    files: (n) =>
      nat6(
        "",
        lines(
          n,
          (i) =>
            `-A OUTPUT -d 2001:db8:96::1/128 -p tcp -m tcp --dport 443 -m statistic --mode random --probability ${(1 / (n - i)).toFixed(8)} -j DNAT --to-destination [2001:db8::${(i + 16).toString(16)}]:443`,
        ),
      ),
  },
  {
    name: "IPv6 routes",
    n: 10_000,
    to: TO6,
    files: (n) => ({
      ...filter6("", ""),
      "ip-6-route.txt": `${ROUTE6}${lines(n, (i) => `2001:db8:${groups(i + 256)}::/64 via 2001:db8::${(2 + (i % 200)).toString(16)} dev eth0 metric 1024 pref medium`)}\n`,
    }),
  },
  {
    name: "IPv6 next hops of one route",
    n: 500,
    to: TO6,
    files: (n) => ({
      ...filter6("", ""),
      "ip-6-route.txt": `${ROUTE6}2001:db8:96::/48 metric 1024 pref medium\n${lines(n, (i) => `\tnexthop via 2001:db8::${(2 + i).toString(16)} dev eth0 weight 1`)}\n`,
    }),
  },
  {
    name: "IPv6 routing rules",
    n: 2_000,
    to: TO6,
    files: (n) => ({
      ...filter6("", ""),
      "ip-6-rule.txt": `0:\tfrom all lookup local\n${lines(n, (i) => `${i + 1}:\tfrom 2001:db8:${groups(i + 256)}::/64 lookup ${i + 1000}`)}\n32766:\tfrom all lookup main\n`,
    }),
  },
  {
    name: "IPv6 addresses of one device",
    n: 2_000,
    to: TO6,
    files: (n) => ({
      ...filter6("", ""),
      "ip-addr.txt": `${ADDR6}${lines(n, (i) => `    inet6 2001:db8::${groups(i + 65536)}/64 scope global`)}\n`,
    }),
  },
  {
    name: "IPv6 neighbours",
    n: 5_000,
    to: TO6,
    files: (n) => ({
      ...filter6("", ""),
      "ip-6-neigh.txt": `${lines(n, (i) => `2001:db8::${groups(i + 65536)} dev eth0 lladdr 02:00:00:00:00:${(i & 255).toString(16).padStart(2, "0")} REACHABLE`)}\n`,
    }),
  },
];
