import type { NftCompare, NftElement, NftExpression, NftStatement, NftValue, NftVerdict } from "../../model/index.ts";
import type { Address, Family, Prefix } from "../../net/index.ts";

/** The words kube-proxy puts its nft rules together from. */
export const ipOf = (family: Family): "ip" | "ip6" => (family === 4 ? "ip" : "ip6");
export const field = (protocol: string, name: string): NftExpression => ({ kind: "payload", protocol, field: name });
export const meta = (key: string): NftExpression => ({ kind: "meta", key });
export const concat = (...parts: readonly NftExpression[]): NftExpression => ({ kind: "concat", parts });
export const named = (name: string): NftValue => ({ kind: "set", set: { kind: "named", name } });
export const symbol = (text: string): NftValue => ({ kind: "symbol", text });
export const address = (value: Address): NftValue => ({ kind: "address", value });
export const number = (value: number): NftValue => ({ kind: "number", value });
export const network = ({ address: value, length }: Prefix): NftValue => ({
  kind: "prefix",
  value: address(value),
  length,
});

export const match = (left: NftExpression, right: NftExpression, op: NftCompare = "in"): NftStatement => ({
  kind: "match",
  left,
  op,
  right,
});
export const vmap = (key: NftExpression, name: string): NftStatement => ({
  kind: "vmap",
  key,
  map: { kind: "named", name },
});
export const verdict = (made: NftVerdict): NftStatement => ({ kind: "verdict", verdict: made });
export const jump = (chain: string): NftStatement => verdict({ kind: "jump", chain });
export const goto = (chain: string): NftStatement => verdict({ kind: "goto", chain });
export const DROP = verdict({ kind: "drop" });
export const RETURN = verdict({ kind: "return" });
export const REJECT: NftStatement = { kind: "reject" };
export const MASQUERADE: NftStatement = { kind: "masquerade", random: false, fullyRandom: true, persistent: false };
export const NEW = match({ kind: "ct", key: "state" }, symbol("new"));
export const setMark = (op: "|" | "^", mark: number): NftStatement => ({
  kind: "set",
  target: meta("mark"),
  value: { kind: "binary", op, left: meta("mark"), right: number(mark) },
});
export const marked = (mark: number, op: NftCompare): NftStatement =>
  match({ kind: "binary", op: "&", left: meta("mark"), right: number(mark) }, number(0), op);
export const fibType = (side: "daddr" | "saddr"): NftStatement =>
  match({ kind: "fib", flags: [side], result: "type" }, symbol("local"));

/** `ip daddr . meta l4proto . th dport` */
export const destinationKey = (family: Family): NftExpression =>
  concat(field(ipOf(family), "daddr"), meta("l4proto"), field("th", "dport"));
export const portKey: NftExpression = concat(meta("l4proto"), field("th", "dport"));

export const element = (key: NftExpression, data?: NftVerdict, comment?: string): NftElement => ({
  key,
  ...(data !== undefined && { data }),
  ...(comment !== undefined && { comment }),
});
