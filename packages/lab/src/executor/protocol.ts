import type { Input, Word } from "@hairpin/core/model/word.ts";

/** The requests the executor (packages/lab/executor, Python) understands, and its answers. One JSON object a line. */

export type ToolName =
  | "ip"
  | "bridge"
  | "tc"
  | "ipset"
  | "ipvsadm"
  | "nft"
  | "conntrack"
  | `${"iptables" | "ip6tables"}-${"legacy" | "nft"}${"" | "-restore" | "-save"}`;

export interface Hello {
  readonly pid: number;
  readonly uid: number;
  readonly python: string;
  readonly kernel: string;
  /** Path by name, of the tools that are installed. */
  readonly tools: Readonly<Partial<Record<ToolName, string>>>;
  readonly bridgeNetfilter: boolean;
}

export interface ToolRun {
  readonly stack: string;
  readonly tool: ToolName;
  readonly args: readonly Word[];
  readonly stdin?: Input;
  /** Seconds. */
  readonly timeout?: number;
}

export interface ToolAnswer {
  /** Exit status; 127 not installed, -1 out of time. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** Path parts below /proc/sys, the first being `net`, and the value. */
export type SysctlWrite = readonly [parts: readonly Word[], value: Word];

export interface ListenSpec {
  readonly stack: string;
  readonly protocol: "tcp" | "udp";
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly device?: Word;
  readonly free?: boolean;
  readonly reply?: "contacted" | "routed";
  readonly whole?: number | "line";
}

export interface RelaySpec {
  readonly device: Word;
  readonly address?: string;
  readonly port: number;
  readonly routes: readonly { readonly network: string; readonly length: number; readonly via: string }[];
}

/** Times are seconds. */
export interface ClientSpec {
  readonly stack: string;
  readonly to: string;
  readonly device?: Word;
  readonly address?: string;
  readonly mark?: number;
  readonly tos?: number;
  readonly ttl?: number;
  readonly size?: number;
  readonly timeout?: number;
  readonly patience?: number;
  readonly resolve?: number;
}

export type StimulusSpec =
  | (ClientSpec & {
      readonly kind: "connect";
      readonly id: string;
      readonly port: number;
      readonly sport?: number;
      readonly retransmit?: boolean;
    })
  | (ClientSpec & {
      readonly kind: "udp";
      readonly port: number;
      readonly sport?: number;
      readonly connected?: boolean;
      readonly errorQueue?: boolean;
    })
  | (ClientSpec & { readonly kind: "ping"; readonly ident?: number; readonly sequence?: number })
  | {
      readonly kind: "inject";
      readonly stack: string;
      readonly device: Word;
      /** base64 */
      readonly frame: string;
      readonly bare?: boolean;
      readonly count?: number;
    }
  | { readonly kind: "send"; readonly id: string; readonly size?: number }
  | { readonly kind: "close"; readonly id: string; readonly how: "silent" | "fin" | "reset" }
  | { readonly kind: "wait"; readonly seconds: number };

export interface RawResult {
  readonly outcome: "connected" | "error" | "timeout" | "icmp" | "sent";
  readonly phase: string;
  readonly errno?: string;
  readonly local?: readonly [string, number] | null;
  readonly from?: readonly [string, number];
  readonly echoed?: number;
  readonly type?: number;
  readonly code?: number;
  readonly watched?: "quiet" | "deadline";
  readonly errorQueue?: readonly {
    readonly errno: string;
    readonly origin: number;
    readonly type: number;
    readonly code: number;
    readonly from: string | null;
  }[];
}

export interface RawSeen {
  /** Stack and the NFLOG message, base64. */
  readonly hooks: readonly (readonly [stack: string, body: string])[];
  readonly frames: readonly (readonly [
    stack: string,
    device: string,
    packetType: number,
    nanoseconds: string,
    vlan: number,
    hardwareType: number,
    data: string,
  ])[];
  readonly storm: boolean;
  readonly served: readonly (readonly [
    protocol: "tcp" | "udp",
    listener: string,
    peer: string,
    peerPort: number,
    local: string,
    localPort: number,
  ])[];
  readonly failed: readonly (readonly [what: string, where: string, errno: number])[];
}

export interface Settling {
  /** How long nothing may move before what was seen counts as all. */
  readonly quiet: number;
  /** The same while an ARP request is unanswered. */
  readonly resolve: number;
  readonly limit: number;
}

/** Request and answer by operation. */
export interface Operations {
  readonly hello: [Record<never, never>, Hello];
  readonly open: [
    { readonly world: string; readonly stacks: readonly string[]; readonly name?: boolean; readonly label?: string },
    Readonly<Record<string, string>>,
  ];
  readonly sysctl: [
    {
      readonly world: string;
      readonly stack: string;
      readonly set: readonly SysctlWrite[];
      /** Nothing has been written in this namespace yet. */
      readonly fresh?: boolean;
    },
    readonly (readonly [parts: readonly string[], value: string, errno: string])[],
  ];
  readonly run: [{ readonly world: string; readonly runs: readonly ToolRun[] }, readonly ToolAnswer[]];
  readonly tun: [
    { readonly world: string; readonly stack: string; readonly device: Word; readonly tap?: boolean },
    null,
  ];
  readonly relay: [{ readonly world: string; readonly stack: string; readonly spec: RelaySpec }, null];
  readonly listen: [{ readonly world: string; readonly listeners: readonly ListenSpec[] }, readonly (string | null)[]];
  readonly ready: [{ readonly world: string; readonly limit?: number }, boolean];
  readonly observe: [
    {
      readonly world: string;
      readonly stacks: readonly {
        readonly stack: string;
        readonly group?: number;
        readonly copy: number;
        readonly snap: number;
      }[];
    },
    /** Per stack: whether hooks tell the packet's conntrack state. */
    readonly boolean[],
  ];
  readonly stimulate: [
    { readonly world: string; readonly spec: StimulusSpec } & Settling,
    { readonly result: RawResult; readonly seen: RawSeen },
  ];
  readonly settle: [{ readonly world: string } & Settling, RawSeen];
  readonly devices: [
    { readonly world: string },
    Readonly<Record<string, Readonly<Record<string, readonly [name: string, mac: string]>>>>,
  ];
  readonly read: [
    {
      readonly world: string;
      readonly stacks: readonly string[];
      readonly files: readonly string[];
      /** Only files that differ from what was last read. */
      readonly changed?: boolean;
    },
    Readonly<Record<string, Readonly<Record<string, string>>>>,
  ];
  readonly conntrack: [
    { readonly world: string; readonly stacks: readonly string[]; readonly families: readonly (4 | 6)[] },
    Readonly<Record<string, readonly string[]>>,
  ];
  readonly close: [{ readonly world: string }, null];
}
