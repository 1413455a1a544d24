import type { ObservedIcmp, ObservedIp } from "../../model/index.ts";
import { parseAddress, protocolNumber } from "../../net/index.ts";

type Kind = readonly [pattern: RegExp, type: number, code?: number];

/** In the words of print-icmp.c; the first that fits. */
const V4: readonly Kind[] = [
  [/^echo request/, 8, 0],
  [/^echo reply/, 0, 0],
  [/^\S{1,80} (?:tcp|udp|sctp|protocol \d+) port \S{1,40} unreachable/, 3, 3],
  [/^\S{1,80} protocol \S{1,20}(?: port)? unreachable/, 3, 2],
  [/^host \S{1,80} unreachable - admin prohibited filter/, 3, 13],
  [/^host \S{1,80} unreachable - admin prohibited/, 3, 10],
  [/^net \S{1,80} unreachable - admin prohibited/, 3, 9],
  [/^host \S{1,80} unreachable - host precedence violation/, 3, 14],
  [/^host \S{1,80} unreachable - precedence cutoff/, 3, 15],
  [/^host \S{1,80} unreachable - tos prohibited/, 3, 12],
  [/^net \S{1,80} unreachable - tos prohibited/, 3, 11],
  [/^\S{1,80} unreachable - need to frag/, 3, 4],
  [/^\S{1,80} unreachable - source route failed/, 3, 5],
  [/^net \S{1,80} unreachable - unknown/, 3, 6],
  [/^host \S{1,80} unreachable - unknown/, 3, 7],
  [/^\S{1,80} unreachable - source host isolated/, 3, 8],
  [/^net \S{1,80} unreachable/, 3, 0],
  [/^host \S{1,80} unreachable/, 3, 1],
  [/^time exceeded in-transit/, 11, 0],
  [/^ip reassembly time exceeded/, 11, 1],
  [/^redirect \S{1,80} to net/, 5, 0],
  [/^redirect \S{1,80} to host/, 5, 1],
  [/^redirect-tos \S{1,80} to net/, 5, 2],
  [/^redirect-tos \S{1,80} to host/, 5, 3],
  [/^source quench/, 4, 0],
  [/^parameter problem/, 12],
  [/^router advertisement/, 9],
  [/^mobile router advertisement/, 9],
  [/^router solicitation/, 10],
  [/^time stamp query/, 13],
  [/^time stamp reply/, 14],
  [/^information request/, 15],
  [/^information reply/, 16],
  [/^address mask request/, 17],
  [/^address mask is/, 18],
];

/** In the words of print-icmp6.c. */
const V6: readonly Kind[] = [
  [/^echo request/, 128, 0],
  [/^echo reply/, 129, 0],
  [/^destination unreachable, unreachable route/, 1, 0],
  [/^destination unreachable, unreachable prohibited/, 1, 1],
  [/^destination unreachable, beyond scope/, 1, 2],
  [/^destination unreachable, unreachable address/, 1, 3],
  [/^destination unreachable, unreachable port/, 1, 4],
  [/^destination unreachable/, 1],
  [/^packet too big/, 2, 0],
  [/^time exceeded in-transit/, 3, 0],
  [/^ip reassembly time exceeded/, 3, 1],
  [/^parameter problem/, 4],
  [/^multicast listener query/, 130],
  [/^multicast listener report v2/, 143],
  [/^multicast listener report/, 131],
  [/^multicast listener done/, 132],
  [/^router solicitation/, 133],
  [/^router advertisement/, 134],
  [/^neighbor solicitation/, 135],
  [/^neighbor advertisement/, 136],
  [/^redirect/, 137],
  [/^router renumbering/, 138],
  [/^node information query/, 139],
  [/^node information reply/, 140],
];

const ID = /, id (\d{1,5})/;
const SEQ = /, seq (\d{1,5})/;
const MTU = /\bmtu (\d{1,6})/;
const PORT = /^(\S{1,80}) (tcp|udp|sctp) port (\d{1,5}|\S{1,40}) unreachable/;
const PORT6 = /unreachable port, (\S{1,80}) (tcp|udp) port (\S{1,40}?),/;
const TARGET = /^(?:host|net) (\S{1,80}) unreachable|^(\S{1,80}) unreachable - need/;

/** What an error's own line says of the packet it is about. */
function named(text: string): Pick<ObservedIp, "dst" | "protocol" | "dport"> | undefined {
  const port = PORT.exec(text) ?? PORT6.exec(text);
  if (port !== null) {
    const protocol = protocolNumber(port[2]!);
    const dport = /^\d+$/.test(port[3]!) ? Number(port[3]) : port[3]!;
    return {
      dst: parseAddress(port[1]!) ?? { name: port[1]! },
      ...(protocol === undefined ? {} : { protocol }),
      dport,
    };
  }
  const target = TARGET.exec(text);
  const host = target?.[1] ?? target?.[2];
  return host === undefined ? undefined : { dst: parseAddress(host) ?? { name: host } };
}

/** After `ICMP ` or `ICMP6, `. The offender's source is the error's destination. */
export function icmpOf(text: string, family: 4 | 6, sentTo: ObservedIp["src"]): ObservedIcmp {
  const kind = (family === 4 ? V4 : V6).find(([pattern]) => pattern.test(text));
  const number = (pattern: RegExp): number | undefined => {
    const m = pattern.exec(text)?.[1];
    return m === undefined ? undefined : Number(m);
  };
  const id = number(ID);
  const seq = number(SEQ);
  const mtu = number(MTU);
  const about = named(text);
  return {
    ...(kind === undefined ? {} : { type: kind[1], ...(kind[2] === undefined ? {} : { code: kind[2] }) }),
    ...(id === undefined ? {} : { id }),
    ...(seq === undefined ? {} : { seq }),
    ...(mtu === undefined ? {} : { mtu }),
    ...(about === undefined ? {} : { inner: { src: sentTo, ...about } }),
  };
}
