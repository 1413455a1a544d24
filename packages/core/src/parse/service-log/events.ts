import type { ServiceEvent } from "../../model/index.ts";
import { PROTO, parseAddress } from "../../net/index.ts";

/** What kube-proxy and kubelet say of the datapath, in the words of the releases that say it. */
const EVENTS: readonly (readonly [RegExp, (m: RegExpExecArray) => ServiceEvent])[] = [
  [
    /listen (tcp|udp|sctp)[46]? \S{0,60}:(\d{1,5}): bind: address already in use/,
    (m) => ({ what: "port-taken", port: Number(m[2]), protocol: m[1] as "tcp" | "udp" | "sctp" }),
  ],
  [
    /\bUsing (ipvs|iptables|nftables|userspace) Proxier\b/i,
    (m) => ({ what: "proxy-mode", value: m[1]!.toLowerCase() }),
  ],
  [
    /clusterCIDR not specified, unable to distinguish between internal and external traffic|no cluster CIDR defined|Cluster-?CIDRs? (?:not|is not|were not) (?:specified|defined|set)/i,
    () => ({ what: "no-cluster-cidr" }),
  ],
  [
    /[Cc]an(?:'t|not) use (?:the )?(ipvs|iptables|nftables) prox(?:y|ier)|\b(?:IPVS|ipvs) proxier will not be used|\b[Ff]alling back to (iptables|userspace|ipvs) prox|[Uu]nknown proxy mode|proxy-?mode\S{0,40} unknown, assuming (iptables)/,
    (m) => ({ what: "fell-back", value: m[2] ?? m[3] ?? "another mode" }),
  ],
  [/[Cc]an(?:'t|not) set sysctl "?([\w./-]{3,80})/, (m) => ({ what: "sysctl-refused", value: m[1]! })],
  [
    /--ipvs-strict-arp="?(true|false)|\bstrictARP["']?[:=]\s?"?(true|false)/i,
    (m) => ({ what: "strict-arp", value: (m[1] ?? m[2])!.toLowerCase() }),
  ],
  [
    /[Ff]ailed to (?:execute|run|load|sync)[^\n]{0,60}\b(ip6?tables-restore|ipset|nft)\b|\b(ip6?tables-restore|nft)\S{0,4}[^\n]{0,80}\bfailed\b/,
    (m) => ({ what: "rules-not-written", value: m[1] ?? m[2] ?? "rules" }),
  ],
  [
    /[Cc]an(?:'t|not) determine this node's IP|[Ff]ailed to retrieve node (?:info|IPs?)|nodes? "[^"]{1,80}" not found/,
    () => ({ what: "node-unknown" }),
  ],
  [/"?conntrack"?: executable file not found/, () => ({ what: "no-conntrack-tool" })],
];

/** `TCP connection from 10.0.0.1:1 to 10.0.0.2:2 blocked by Weave NPC`; `xx drop (Policy denied) …: 10.0.0.1:1 -> 10.0.0.2:2 tcp SYN`. */
const DENIED = [
  /\b(TCP|UDP) connection from ([\d.]{7,15}):(\d{1,5}) to ([\d.]{7,15}):(\d{1,5}) blocked by Weave NPC/,
  /\bdrop \(Policy denied\)[^\n]{0,200}?()([\d.]{7,15}):(\d{1,5}) -> ([\d.]{7,15}):(\d{1,5}) (?:tcp|udp)\b/,
];

function deniedIn(text: string): ServiceEvent | undefined {
  for (const pattern of DENIED) {
    const [whole, , from, sport, to, dport] = pattern.exec(text) ?? [];
    const [src, dst] = [parseAddress(from ?? ""), parseAddress(to ?? "")];
    if (whole === undefined || src === undefined || dst === undefined) continue;
    const protocol = /\budp\b/i.test(whole) ? PROTO.udp : PROTO.tcp;
    return { what: "policy-denied", src, dst, sport: Number(sport), dport: Number(dport), protocol };
  }
  return undefined;
}

export function eventOf(message: string): ServiceEvent | undefined {
  const text = message.slice(0, 1000);
  const denied = deniedIn(text);
  if (denied !== undefined) return denied;
  for (const [pattern, make] of EVENTS) {
    const match = pattern.exec(text);
    if (match !== null) return make(match);
  }
  return undefined;
}
