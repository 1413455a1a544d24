/** ICMP type/code names as ipset prints them; of two names for one code the first is printed. */
type Named = readonly [name: string, type: number, code: number];

const ICMP: readonly Named[] = [
  ["echo-reply", 0, 0],
  ["pong", 0, 0],
  ["network-unreachable", 3, 0],
  ["host-unreachable", 3, 1],
  ["protocol-unreachable", 3, 2],
  ["port-unreachable", 3, 3],
  ["fragmentation-needed", 3, 4],
  ["source-route-failed", 3, 5],
  ["network-unknown", 3, 6],
  ["host-unknown", 3, 7],
  ["network-prohibited", 3, 9],
  ["host-prohibited", 3, 10],
  ["TOS-network-unreachable", 3, 11],
  ["TOS-host-unreachable", 3, 12],
  ["communication-prohibited", 3, 13],
  ["host-precedence-violation", 3, 14],
  ["precedence-cutoff", 3, 15],
  ["source-quench", 4, 0],
  ["network-redirect", 5, 0],
  ["host-redirect", 5, 1],
  ["TOS-network-redirect", 5, 2],
  ["TOS-host-redirect", 5, 3],
  ["echo-request", 8, 0],
  ["ping", 8, 0],
  ["router-advertisement", 9, 0],
  ["router-solicitation", 10, 0],
  ["ttl-zero-during-transit", 11, 0],
  ["ttl-zero-during-reassembly", 11, 1],
  ["ip-header-bad", 12, 0],
  ["required-option-missing", 12, 1],
  ["timestamp-request", 13, 0],
  ["timestamp-reply", 14, 0],
  ["address-mask-request", 17, 0],
  ["address-mask-reply", 18, 0],
];

const ICMP6: readonly Named[] = [
  ["no-route", 1, 0],
  ["communication-prohibited", 1, 1],
  ["address-unreachable", 1, 3],
  ["port-unreachable", 1, 4],
  ["packet-too-big", 2, 0],
  ["ttl-zero-during-transit", 3, 0],
  ["ttl-zero-during-reassembly", 3, 1],
  ["bad-header", 4, 0],
  ["unknown-header-type", 4, 1],
  ["unknown-option", 4, 2],
  ["echo-request", 128, 0],
  ["ping", 128, 0],
  ["echo-reply", 129, 0],
  ["pong", 129, 0],
  ["router-solicitation", 133, 0],
  ["router-advertisement", 134, 0],
  ["neighbour-solicitation", 135, 0],
  ["neigbour-solicitation", 135, 0],
  ["neighbour-advertisement", 136, 0],
  ["neigbour-advertisement", 136, 0],
  ["redirect", 137, 0],
];

const tables = (names: readonly Named[]) => ({
  byName: new Map(names.map(([name, type, code]) => [name.toLowerCase(), { type, code }])),
  byCode: new Map([...names].reverse().map(([name, type, code]) => [type * 256 + code, name])),
});
const V4 = tables(ICMP);
const V6 = tables(ICMP6);

export function parseIcmp(text: string, v6: boolean): { type: number; code: number } | undefined {
  const numbers = /^(\d{1,3})\/(\d{1,3})$/.exec(text);
  if (numbers === null) return (v6 ? V6 : V4).byName.get(text.toLowerCase());
  const type = Number(numbers[1]);
  const code = Number(numbers[2]);
  return type < 256 && code < 256 ? { type, code } : undefined;
}

export const formatIcmp = (type: number, code: number, v6: boolean): string =>
  (v6 ? V6 : V4).byCode.get(type * 256 + code) ?? `${type}/${code}`;
