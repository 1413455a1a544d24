import type { StackCommand } from "../assemble/index.ts";
import type { CauseCode, Finding, Scene } from "../explain/index.ts";
import type { Text } from "../messages/index.ts";
import type { World } from "../model/index.ts";
import type { Exploration, Judgement, Verdict } from "../trace/index.ts";
import type { FixCodes } from "./code.ts";
import type { Flow } from "./flows.ts";

/** One command of a fix, and the stack it is typed on; on none: wherever kubectl is. */
export interface Command extends StackCommand {
  /** The line itself, where the user typed it. */
  readonly typed?: string;
}

/** How a change outlives a reboot: what it is, and the lines to type or to write. */
export interface Lasting {
  readonly how: Text;
  readonly lines: readonly string[];
}

/** What a fix looks at: one branch that does not work, the leg that was lost in it, and the causes seen there. */
export interface RemedyScene extends Scene {
  readonly findings: readonly Finding[];
}

/** A change that may cure it. Whether it does, the walk says. */
export interface Candidate {
  readonly code: FixCodes;
  readonly summary: Text;
  readonly commands: readonly Command[];
  /** What no command on a node does: a setting of the load balancer or of the cloud, and where it is made. */
  readonly outside?: {
    readonly where: Text | string;
    readonly change: (world: World) => World;
    /** Flows that it can touch. */
    readonly touches: (flow: Flow) => boolean;
  };
  /** Forms that the commands do not say by themselves: a flag of kube-proxy, a field of a Service. */
  readonly lasting?: readonly Lasting[];
  /** What it was put together of, for several faults in a row. */
  readonly of?: readonly Candidate[];
  /** Costs that no walk shows. */
  readonly notes?: readonly Text[];
}

/** One fix of the catalogue: what it is called, which causes it cures, and the patches it proposes for one branch. */
export interface Remedy {
  readonly code: FixCodes;
  readonly cures: readonly CauseCode[];
  readonly propose: (scene: RemedyScene) => readonly Candidate[];
}

/** A flow other than the asked one that a fix changes. */
export interface FlowChange {
  readonly from: string;
  readonly to: string;
  readonly proto: string;
  readonly before: Verdict;
  readonly after: Verdict;
  /** What differs: the verdict, the endpoint that answers, the client's address as the endpoint sees it. */
  readonly what: readonly ("verdict" | "endpoint" | "client address")[];
  readonly detail: Text;
}

export interface Proof {
  readonly verdict: Verdict;
  readonly judgement: Judgement;
  readonly exploration: Exploration;
  /** One flow per class that the change can touch. */
  readonly flowsChecked: number;
  /** There are more classes than were checked. */
  readonly flowsBounded: boolean;
  readonly flowsChanged: readonly FlowChange[];
}

/** A line to type, and the stack it is typed on; on none: wherever kubectl is. */
export interface PlacedLine {
  readonly stack: string;
  readonly line: string;
}

/** A fix as it is proposed: what to type, how to take it back, how to make it last, what it costs, and the proof. */
export interface Fix {
  readonly code: FixCodes;
  readonly summary: Text;
  /** Causes it was proposed for. */
  readonly cures: readonly CauseCode[];
  /**
   * The object that kube-proxy goes by is the root, and what is typed on a node is taken back at its next sync: how it is cured where it
   * stands, which comes before the commands.
   */
  readonly atRoot?: Lasting;
  readonly where: readonly (Text | string)[];
  readonly commands: readonly string[];
  readonly undo: readonly string[];
  /** The same, each apart from where it is typed. */
  readonly placed: { readonly commands: readonly PlacedLine[]; readonly undo: readonly PlacedLine[] };
  readonly lasting: readonly Lasting[];
  readonly costs: readonly Text[];
  readonly proof: Proof;
  /** A World with it; undefined where a command of it is refused there. */
  readonly applyTo: (world: World) => World | undefined;
}
