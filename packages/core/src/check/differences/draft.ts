import type { Text } from "../../messages/index.ts";
import type { Origin } from "../../model/index.ts";

export type DifferenceCode =
  | "ENDPOINT_MISSING"
  | "ENDPOINT_STRAY"
  | "ENDPOINT_CHANGED"
  | "ENDPOINT_SHARES"
  | "SERVICE_ADDRESS_MISSING"
  | "SERVICE_ADDRESS_STALE"
  | "NODE_PORT_MISSING"
  | "NODE_PORT_STALE"
  | "MASQUERADE_MISSING"
  | "MASQUERADE_STRAY"
  | "MASQUERADE_CHANGED"
  | "REFUSAL_MISSING"
  | "REFUSAL_STRAY"
  | "AFFINITY_MISSING"
  | "AFFINITY_STRAY"
  | "RULE_MISSING"
  | "RULE_STRAY"
  | "RULE_CHANGED"
  | "RULE_MOVED"
  | "RULES_MISSING"
  | "SET_MISSING"
  | "SET_TYPE"
  | "SET_ENTRY_MISSING"
  | "SET_ENTRY_STRAY"
  | "SET_ENTRY_CHANGED"
  | "VIRTUAL_SERVER_MISSING"
  | "VIRTUAL_SERVER_STALE"
  | "VIRTUAL_SERVER_CHANGED"
  | "REAL_SERVER_MISSING"
  | "REAL_SERVER_STRAY"
  | "REAL_SERVER_CHANGED"
  | "VIP_NOT_BOUND"
  | "VIP_STALE"
  | "SYSCTL_DIFFERS"
  | "LEFTOVER_OF_MODE"
  | "LEFTOVER_OF_BACKEND"
  | "FOREIGN_VERSION";

/** Where what stands on a node is not what kube-proxy should have programmed. */
export interface Draft {
  readonly code: DifferenceCode;
  readonly text: Text;
  /** Drafts of one key are one difference, seen at several places. */
  readonly key: string;
  readonly service?: string;
  readonly endpoint?: string;
  /** Lines of the objects it should come from, and of what stands there. */
  readonly expected: readonly Origin[];
  readonly actual: readonly Origin[];
}
