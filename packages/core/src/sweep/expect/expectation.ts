import type { Family } from "../../net/index.ts";

export const OUTCOMES = ["works", "fails", "refused", "timesOut"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One line of an expectations file: what must, or must not, work. */
export interface Expectation {
  readonly name?: string | undefined;
  /** A kind of source, a name with globs, or whoever `--from` takes. */
  readonly from: string;
  /** A name with globs and its port, or whatever `--to` takes. */
  readonly to: string;
  readonly expect: Outcome;
  readonly proto?: string | undefined;
  readonly family?: Family | undefined;
  /** By which of a Service's addresses. */
  readonly via?: string | undefined;
  /** The node at which somebody outside arrives. */
  readonly node?: string | undefined;
  /** Whether whoever answers sees the client's own address. */
  readonly seesClientAddress?: boolean | undefined;
  /** A node that the request passes; globs. */
  readonly viaNode?: string | undefined;
  /** Where it stands in its file. */
  readonly line: number;
}

export const nameOf = ({ name, from, to, expect }: Expectation): string => name ?? `${from} to ${to} ${expect}`;

/** All that it says, in the words of its file. */
export function saidIn({ from, to, expect, proto, family, via, node, ...e }: Expectation): string {
  const asked = [
    `${from} to ${to}`,
    ...(via === undefined ? [] : [`via ${via}`]),
    ...(node === undefined ? [] : [`node ${node}`]),
    ...(proto === undefined ? [] : [proto]),
    ...(family === undefined ? [] : [`IPv${family}`]),
  ];
  return `${asked.join(", ")}: ${wishOf({ expect, ...e })}`;
}

/** What is expected, in the words of its file. */
export const wishOf = ({
  expect,
  seesClientAddress,
  viaNode,
}: Pick<Expectation, "expect" | "seesClientAddress" | "viaNode">): string =>
  [
    expect,
    ...(seesClientAddress === undefined ? [] : [`seesClientAddress ${seesClientAddress}`]),
    ...(viaNode === undefined ? [] : [`viaNode ${viaNode}`]),
  ].join(", ");
