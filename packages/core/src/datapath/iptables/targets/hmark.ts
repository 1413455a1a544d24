import { isLaterFragment, type Packet, type Port, placeOf, portKey, type Rule } from "../../../model/index.ts";
import { type Address, bytesOf, hasPorts, isIcmp, isIpv4, uint32Of } from "../../../net/index.ts";
import { jhash } from "../../kernel/jhash.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { memo } from "../../kernel/memo.ts";
import { scatter } from "../../kernel/ports.ts";
import { isIcmpError, type Skb } from "../../kernel/skb.ts";
import { type Option, optionsOf } from "../matches/options.ts";

interface Tuple {
  readonly src: Address;
  readonly dst: Address;
  readonly sport: Port;
  readonly dport: Port;
}

/** Where every mark would be a branch of its own, nobody is helped by them. */
const MOST_BRANCHES = 16;

/**
 * Follows hmark_tg_v4() (xt_HMARK.c): a hash of the ends, the same for both directions. Where the client's port counts and is not known, any
 * mark is as likely, and the connection keeps it. Undefined: what it hashes is not known.
 */
export function hmark(kernel: Kernel, rule: Rule, words: readonly string[], skb: Skb): number | undefined {
  const { packet } = skb;
  const options = optionsOf(words);
  const number = (name: string, without: number): number => Number(optionOf(options, name) ?? without);
  const modulus = number("--hmark-mod", 0);
  const seed = optionOf(options, "--hmark-rnd");
  if (!isIpv4(packet.src) || isIcmpError(packet) || seed === undefined || modulus === 0) return undefined;
  const tuple = tupleOf(skb, optionOf(options, "--hmark-tuple") === "ct");
  if (tuple === undefined) return skb.mark;
  const ends = [mask(tuple.src, number("--hmark-src-prefix", 0)), mask(tuple.dst, number("--hmark-dst-prefix", 0))];
  const ports = portsOf(packet)
    ? [
        maskedPort(tuple.sport, number("--hmark-sport-mask", 0), number("--hmark-sport", 0)),
        maskedPort(tuple.dport, number("--hmark-dport-mask", 0), number("--hmark-dport", 0)),
      ]
    : [0, 0];
  const offset = number("--hmark-offset", 0);
  const [low = 0, high = 0] = ends.sort((a, b) => a - b);
  const [small, large] = ports.sort((a, b) => (a ?? 0) - (b ?? 0));
  if (small === undefined || large === undefined) return drawn(kernel, rule, tuple, modulus, offset);
  const hash = jhash([...word(low), ...word(high), ...word(((large << 16) | small) >>> 0)], Number(seed));
  const mixed = (hash ^ (packet.protocol & number("--hmark-proto-mask", 0))) >>> 0;
  return (scale(mixed, modulus) + offset) >>> 0;
}

const optionOf = (options: readonly Option[], name: string): string | undefined =>
  options.find((o) => o.name === name)?.value;

/** hmark_ct_set_htuple(): who began, and whom the connection leads to. */
function tupleOf({ packet, ct }: Skb, byConnection: boolean): Tuple | undefined {
  if (!byConnection) return packet;
  if (ct === undefined) return undefined;
  const { original, reply } = ct.tuple;
  return { src: original.src, dst: reply.src, sport: original.sport, dport: reply.sport };
}

const portsOf = (packet: Packet): boolean =>
  hasPorts(packet.protocol) && !isIcmp(packet.protocol) && !isLaterFragment(packet);

const mask = (address: Address, length: number): number =>
  length === 0 || !isIpv4(address) ? 0 : (uint32Of(address) & (0xffffffff << (32 - length))) >>> 0;

const maskedPort = (port: Port, bits: number, set: number): number | undefined =>
  bits === 0 ? set : typeof port === "number" ? (port & bits) | set : undefined;

const word = (n: number): readonly number[] => [n & 255, (n >>> 8) & 255, (n >>> 16) & 255, n >>> 24];

/** reciprocal_scale(). */
const scale = (hash: number, modulus: number): number => Number((BigInt(hash) * BigInt(modulus)) >> 32n);

function drawn(kernel: Kernel, rule: Rule, tuple: Tuple, modulus: number, offset: number): number | undefined {
  if (modulus > MOST_BRANCHES) return undefined;
  const ends = [`${bytesOf(tuple.src)} ${portKey(tuple.sport)}`, `${bytesOf(tuple.dst)} ${portKey(tuple.dport)}`];
  scatter(kernel, [tuple.sport, tuple.dport]);
  const what = `${kernel.name}/hmark/${placeOf(rule.origin)}`;
  const options = Array.from({ length: modulus }, (_, i) => ({ label: `mark ${offset + i}`, share: 1 / modulus }));
  return memo(
    kernel.scratch,
    `${what}/${ends.sort().join(" ")}`,
    () => offset + kernel.oracle.chance(what, options),
  ) as number;
}
