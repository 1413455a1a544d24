import type { RouteError, RouteResult, Tuple, Work } from "../../datapath/index.ts";
import type {
  Assumption,
  Decision,
  DropReason,
  Ground,
  Origin,
  Packet,
  Step,
  StepName,
  World,
} from "../../model/index.ts";
import type { Address, PortRange } from "../../net/index.ts";

/** How a leg ended: only what was lost has a reason. */
export type LegEnd =
  | { readonly disposition: "delivered" | "forwarded" | "undetermined"; readonly drop: null }
  | { readonly disposition: "dropped" | "rejected"; readonly drop: DropReason };
export type Disposition = LegEnd["disposition"];
export type ClientSees = "connected" | "refused" | "timeout" | "unreachable" | "reset" | "stalled";

/** One packet's way from the socket that sent it to its end. */
export type Leg = LegEnd & LegBase;

/** What a packet came by, for whoever compares walks: no step, no text. */
export interface LinesMet {
  /** Of the packet as it was first made. */
  readonly source: Address;
  /** Rules, routes, sysctls, virtual servers; some of them more than once. */
  readonly origins: Origin[];
  readonly routes: { readonly stack: string; readonly found: RouteResult | RouteError }[];
}

interface LegBase {
  /** SYN, SYN-ACK, data, ICMP port unreachable, … */
  readonly what: string;
  readonly stack: string;
  readonly step: StepName;
  /** What ended it; for an undetermined leg: why nobody knows. */
  readonly decision: Decision;
  readonly origins: readonly Origin[];
  readonly steps: readonly Step[];
  /** Where lines were wanted and no steps. */
  readonly met?: LinesMet | undefined;
  /** Steps that are not shown because there are too many. */
  readonly leftOut?: number;
  readonly final: Packet;
  readonly masqueraded: boolean;
}

/** A conntrack entry as the walk left it. */
export interface Connection {
  readonly stack: string;
  readonly original: Tuple;
  readonly reply: Tuple;
  readonly sourceNat: boolean;
  readonly destinationNat: boolean;
  readonly seenReply: boolean;
  readonly tcpState?: string;
  readonly mark: number;
  readonly zone: number;
}

/** The entries of one stack. */
interface Held {
  readonly all: () => readonly Connection[];
  readonly touched: readonly Connection[];
}

/** The entries of all stacks of a walk. Of a large dump most are as they were: they are listed for whoever asks. */
export class Connections {
  readonly #held: readonly Held[];
  constructor(held: readonly Held[]) {
    this.#held = held;
  }
  all(): readonly Connection[] {
    return this.#held.flatMap((h) => h.all());
  }
  /** Those that the walk put in, or came by: of a dump hardly any. */
  get touched(): readonly Connection[] {
    return this.#held.flatMap((h) => h.touched);
  }
}

/** One way the conversation can go: one choice at every fork by chance, under one hypothesis. */
export interface Branch {
  readonly share: number;
  /** Consulted open facts only, with the values that lead here. */
  readonly hypothesis: ReadonlyMap<string, readonly string[]>;
  readonly request: Leg;
  readonly reply: Leg | null;
  readonly data: readonly Leg[];
  /** Null where the walk does not know. */
  readonly clientSees: ClientSees | null;
  /** What connect(2), send(2) or recv(2) fails with; null: it does not fail, or hangs, or nobody knows. */
  readonly errno: string | null;
  /** What kernels sent besides and nobody waited for: a RST for an answer that belongs to no socket. */
  readonly aftermath: readonly Leg[];
  /** What conntrack holds in each stack when all is said. */
  readonly connections: Connections;
  readonly assumptions: readonly Assumption[];
  /** What it rests on although nobody showed it. */
  readonly grounds: readonly Ground[];
  readonly chances: readonly { readonly what: string; readonly label: string }[];
  /**
   * The source ports that the kernel may draw for the client with which it goes this way: of all that were not left to it, some rule,
   * route or set on the way asks. Null: the port was given, or there is none.
   */
  readonly sourcePorts: readonly PortRange[] | null;
}

export const legsOf = ({ request, reply, data }: Branch): readonly Leg[] => [
  request,
  ...(reply === null ? [] : [reply]),
  ...data,
];

/** The leg that decides: the first that failed, else the last. What was sent again and arrived has not failed. */
export function decisiveLeg(branch: Branch): Leg {
  const legs = legsOf(branch);
  const fine = (leg: Leg) => leg.disposition === "delivered" || leg.disposition === "forwarded";
  const last = legs[legs.length - 1]!;
  return branch.clientSees === "connected" ? last : (legs.find((leg) => !fine(leg)) ?? last);
}

/** An open fact that some branch consulted. */
export interface ConsultedFact {
  readonly id: string;
  readonly values: readonly string[];
}

export interface Exploration {
  readonly branches: readonly Branch[];
  readonly facts: readonly ConsultedFact[];
  /** More hypotheses than are walked: the verdict is undetermined. */
  readonly overflow: boolean;
  /** The World as it was walked, with every host that had to be made up. */
  readonly world: World;
  /** Facts that were settled beforehand (`--assume`, case.yaml). */
  readonly fixed: ReadonlyMap<string, string>;
  /** The address that was asked for. */
  readonly to?: Address;
  /** How many times it was walked, for whoever has to budget. */
  readonly runs?: number;
  /** What all walks that follow from this one may cost together: interventions, fixes, other flows. */
  readonly afterwards: Work;
}
