import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Set by the build; run from source, the source itself is read. */
declare const HAIRPIN_WORDS: string | undefined;

/** A name within a text: letters and figures of any script, dashes and underscores inside. */
export const UNIT = /[\p{L}\p{N}](?:[\p{L}\p{N}_-]*[\p{L}\p{N}_])?/gu;

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g;
const IMPORT = /^(?:import|export)\s[^;]*?from\s+"[^"]*";/gm;
/** In a regular expression they are no letters: `\d`, `\bword`. */
const ESCAPE = /\\[a-zA-Z]/g;

/** Texts and patterns. */
const LITERAL = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/(?![/*\s])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;

/** The words of a program's source, comments aside. The readers' own names for things are those of the dumps' fields. */
function wordsIn(path: string, source: string): readonly string[] {
  const code = source.replace(COMMENT, " ").replace(IMPORT, " ");
  const bare = /\/(?:parse|net|case)\//.test(path) ? code : (code.match(LITERAL) ?? []).join("\n");
  return (bare.replace(ESCAPE, " ").match(UNIT) ?? []).flatMap((word) => [word, ...word.split(/[-_]/)]);
}

/**
 * The words of the readers: what Hairpin's own source says is nobody's secret, and all that a reader looks for is in it, so that a
 * text in which they alone are left is read as before. What is said to people, and tests, are not asked.
 */
export function wordsOfSource(folders: readonly string[]): readonly string[] {
  const words = new Set<string>();
  for (const folder of folders)
    for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!path.endsWith(".ts") || path.endsWith(".test.ts") || /(?:^|\/)messages\//.test(path)) continue;
      for (const word of wordsIn(join(folder, path), readFileSync(join(folder, path), "utf8")))
        words.add(word.toLowerCase());
    }
  // Figures are judged by their kind, not by whether one like them stands in the source: it may be an address.
  return [...words].filter((w) => /^\p{L}/u.test(w) && !/^(?=.*\d)[0-9a-f]{7,}$/.test(w)).sort();
}

/** Of kube-proxy's, kube-router's and others' comments, of logs and calendars: they stand in every cluster. */
const COMMON = `
  a an and as at be by for from has if in into is it no not of on or rule rules so than that the their then this to was were when which with
  jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun january february march april june july august september
  october november december utc gmt cet cest
  kubernetes service services portals postrouting requiring snat dnat traffic masquerade masquerading must be the last mark external
  destined drop accept reject chain jump forward forwarding conntrack node nodeport nodeports firewall network policy policies
  pod pods namespace name ingress egress endpoint endpoints loadbalancer balancer load cluster ip ips ipv4 ipv6 rejecting has no default
  localhost local docker containerd flannel flanneld calico felix cilium weave kube router proxy system public dns coredns
  metrics server kubelet hairpin linux gnu smp preempt dynamic debian ubuntu centos rhel fedora alpine amd64 x86 arm64 aarch64 generic
  noqueue fq codel fq_codel pfifo_fast mq htb cubic reno bbr qdisc brd
  lntu lntup lnc ln sn az
  6in4 6to4 6rd 8021q x86_64 com org net io svc arpa example internal running ready pending terminating completed none true false null yes
`;

/** Parts of the names of sysctls, and of what tools print around values: the kernel's and the tools' own. */
const TOOLS = `
  accept ack acq addr adv advance aevent allow app arp arptables auto autobind autoconf autocorking available backlog bc beacon
  before bindv6only bogus bookworm bootp bridge broadcasts burst bytes ca call chaintoolong challenge child cnt collapse comp
  compat cong congestion conntrack consistency control cookie cost count dad data default defer defrtr delay demux designated
  desync dev dgram disc discovery dist divisor drop dsack dstnat dynaddr early echo echoed ecn ecr ehash elasticity en10mb enabled
  endpointslice-controller enhanced entries error etime evict expires fack factor fallback filter flowlabel flowlabels force
  forwarding frag frag6 frto fully-random gc gen gratuitous gso_max_segs gso_max_size hash hello high hmac honor hooks icmp id
  idgen idle igmp igmpv2 igmpv3 ignore info initial input interval intvl ioam6 ip ip6frag ip6tables ipfrag join keepalive larval
  latest learn lft life limit linear link linklocal local locktime loss low lowat lwtunnel managers mask max maxmtu mc mcast
  membership memberships metric migrate min minmtu mld mldv1 mldv2 mode moderate ms msf msgs mss mtu na ndisc ndp nexthop nf no
  nocarrier notify notsent ns numrxqueues numtxqueues optimistic option optmem orphan pacing pass path per pflag pinfo pingpong
  pio plb plen pm pmtu port portprocess pppoe pref prefered probes probing proxy qlen qrv querier query ra ratemask ratio rcvbuf
  recd recovery recv-q redirects regen rehash relay report reports req require resolicit responses retrans retries retries1
  retries2 retry reuse rfc1337 rmem root rounds router rpl rps rseqth rt rto rtr rtt sack sackok scale scaling schedulers sctp sec
  secure seg seg6 send-q sha256 shrink shutdown signed slack snd snooping solicit solicitations somaxconn srcnat ss stale start
  startup stdurg suppress suspend syn synack syncookies tagged tclass tcn tcp temp tempaddr thin thresh time timeout timeouts
  timer timestamps tllao transmits tso tso_max_segs tso_max_size tstamp txrehash type u ucast udp ug ugd ugh ughd uh
  unacknowledged unprivileged unres unsolicited use val valid version vlan wide win window windows wlen wmem workaround xfrm xfrm4 xfrm6
`;

let known: ReadonlySet<string> | undefined;

/** Words that say nothing of whose cluster it is, in lower case. */
export function knownWords(): ReadonlySet<string> {
  if (known === undefined) {
    const source = (folder: string): string => fileURLToPath(new URL(`../../../${folder}/src`, import.meta.url));
    const read =
      typeof HAIRPIN_WORDS === "string" ? HAIRPIN_WORDS.split(" ") : wordsOfSource([source("core"), source("case")]);
    known = new Set([...read, ...COMMON.split(/\s+/), ...TOOLS.split(/\s+/)]);
  }
  return known;
}
