import { RULE_CASES } from "./lines.ts";

/** Cases whose meaning needs something that a random rule does not give them: an object, a set type, another rule. */
const ALONE =
  /ipvs|nfacct|ULOG|map-set|CLUSTERIP|CONNSECMARK|LED|--path|helper ftp|SECMARK|rateest|RATEEST|--jump|IDLETIMER|TEE|owner|HMARK/;

/** A rule put together from pieces of the cases, in an order that nobody would type. */
export function combine(next: () => number, family: 4 | 6): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  const pool = RULE_CASES.filter((c) => c.family === family && c.table === "filter" && !ALONE.test(c.input));
  const protocol = pick(["-p tcp", "-p udp", "", "", ""]);
  const parts: string[] = [];
  const addresses =
    family === 4
      ? ["-s 10.0.0.0/8", "! -s 192.0.2.0/24", "-d 10.1.2.3", "! -d 192.0.2.4"]
      : ["-s 2001:db8::/32", "! -d fe80::/10"];
  if (next() < 0.3) parts.push(pick(addresses));
  if (next() < 0.3) parts.push(pick(["-i eth0", "! -o eth+", "-o lo"]));
  parts.push(protocol);
  const count = 1 + Math.floor(next() * 3);
  for (let i = 0; i < count; i++) {
    const { input } = pick(pool);
    const own = /-p \S+/.exec(input)?.[0] ?? "";
    if (own !== "" && own !== protocol) continue;
    const matches = input.replace(/(?:! )?-[psdio] \S+ ?/g, "").replace(/(?:! )?-f /, "");
    parts.push(matches.replace(/-j .*$/, "").trim());
  }
  // An option that loads the protocol's match by itself, unless it would abbreviate one of multiport's.
  if (protocol === "-p tcp" && next() < 0.5 && !parts.some((part) => part.includes("multiport")))
    parts.push(pick(["--dport 80", "--sport 1:5", "--syn", "--dport 443 --sport 1024:"]));
  parts.push(pick(["-j ACCEPT", "", '-j LOG --log-prefix "x y"', "-j MARK --or-mark 1", "-j REJECT", "-g T", "-j T"]));
  return parts.filter((part) => part !== "").join(" ");
}
