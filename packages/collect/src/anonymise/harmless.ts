import { knownWords } from "./known-words.ts";

/** Devices that drivers, systemd and network plugins name by counting. */
const COUNTED =
  /^(?:eth|ens|eno|em|bond|br|cbr|cni|cnio|docker|dummy|erspan|flannel|geneve|gre|gretap|if|ifb|ip6gre|ip6tnl|ip6_vti|ip_vti|ipvlan|kube|lan|lxdbr|macvlan|nlmon|podman|sit|tap|team|tun|tunl|veth|virbr|vlan|vnet|vrf|vti|vxlan|wan|wg|wlan|wwan|weave|kube-ipvs|p\dp)\d{0,5}$/;
/** By their slot: enp3s0f1np0, ens5f0v3. */
const SLOTTED = /^en[ps]\d{1,5}(?:s\d{1,5})?(?:f\d{1,3})?(?:np?\d{1,3})?(?:v\d{1,4})?(?:d\d{1,3})?$/;

/** Counters of the kernel, as nstat(8) names them. */
const COUNTER =
  /^(?:Ip|Ip6|IpExt|Icmp|Icmp6|IcmpMsg|Tcp|TcpExt|Udp|Udp6|UdpLite|UdpLite6|MPTcpExt)(?:In|Out|TCP|Ofo|TW|PAWS|Delayed|Listen|Reasm|Frag|Forw|Reqs|Rcv|Snd|Mem|Ignored|No)[A-Za-z0-9]{0,40}$/;

/** Numbers of known kinds: lengths, times, sizes, rates, versions; years and days; ends of klog's heads. */
const NUMBERS: readonly RegExp[] = [
  /^\d{1,7}$/,
  /^0x[0-9a-f]{1,8}$/i,
  /^(?:\d{1,6}(?:ns|us|ms|s|sec|secs|m|min|h|d|w|y|month|day|hour|minute|second)){1,4}$/,
  /^\d{1,9}(?:[kmgt]i?|[kmgt]i?b|b|bit|[kmg]bit|[kmg]?bps|pps|p|pkts|bytes|g|st|nd|rd|th)$/i,
  /^v\d{1,4}(?:(?:alpha|beta|rc)\d{0,3})?$/,
  /^\d{1,4}(?:alpha|beta|rc)\d{0,3}$/,
  /^\d{1,4}(?:-\d{1,2}){2}(?:T\d{2})?$/,
  /^\d{2}T\d{2}$/,
  /^\d{1,9}Z$/,
  /^\d{8}T\d{6}Z?$/,
  /^[IWEF]\d{4}$/,
  /^(?=.*\d)[0-9a-f]{4}$/i,
  /^\d{1,6}(?:-\d{1,6})$/,
];

const isNumber = (unit: string): boolean => NUMBERS.some((n) => n.test(unit));

/** An address written with dashes, as clouds name their machines. */
const DASHED = /(?<!\d)\d{1,3}(?:[-_]\d{1,3}){3}(?!\d)/;

/** What is known to say nothing of whose it is. */
export function isHarmless(unit: string): boolean {
  const lower = unit.toLowerCase();
  if (DASHED.test(unit)) return false;
  if (knownWords().has(lower) || isNumber(unit) || COUNTED.test(unit) || COUNTER.test(unit) || SLOTTED.test(unit))
    return true;
  // `0-18-amd64` of a kernel's version, `nf_conntrack_max`: all of it known. Names of objects have dashes and begin with a letter.
  const isKnown = (part: string): boolean => /^\d{0,5}$/.test(part) || knownWords().has(part.toLowerCase());
  return (/^\d/.test(unit) || !unit.includes("-")) && /[-_]/.test(unit) && unit.split(/[-_]/).every(isKnown);
}

/** Made of a known name and a hash, by kube-proxy, network plugins and runtimes. */
const HASHED =
  /^(KUBE-(?:[A-Z0-9]+-)*|CNI-(?:[A-Z]+-)*|cali-(?:[a-z0-9]+-)*_?|cali-?|veth|lxc|lxc_|br-|tap|eni|vmi|dce|azv|gke|nk|cni-|[a-z]{2,4}veth)([A-Z2-7]{16}|[0-9a-f]{6,64}|[A-Za-z0-9_-]{12,32})$/;

/** The known head of such a name, and the hash: who can guess a name could check the guess by it. */
export function hashed(unit: string): { readonly head: string; readonly hash: string } | undefined {
  const match = HASHED.exec(unit);
  const [, head = "", hash = ""] = match ?? [];
  const parts = head.split("-").filter((p) => p !== "" && p !== "_");
  return match !== null && parts.every((p) => knownWords().has(p.toLowerCase().replace(/_$/, "")))
    ? { head, hash }
    : undefined;
}

/** `service-2QRHZV4L-shop` of `service-2QRHZV4L-shop/web/tcp/http`: kube-proxy's nftables mode names its chains so. */
const CHAIN_OF_SERVICE = /^((?:service|local|external|firewall|endpoint|affinity)-)([A-Z2-7]{8})-(.+)$/;

/** The role, the hash and the namespace of such a name: each is hidden for itself, so that a reader still knows what it is. */
export function chainOfService(
  unit: string,
): { readonly head: string; readonly hash: string; readonly namespace: string } | undefined {
  const [, head, hash, namespace] = CHAIN_OF_SERVICE.exec(unit) ?? [];
  return head === undefined || hash === undefined || namespace === undefined ? undefined : { head, hash, namespace };
}
