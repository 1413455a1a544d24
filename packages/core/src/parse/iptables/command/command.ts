import type { IptablesBackend, IptablesTableName, Origin, Policy, Rule } from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";

/** One `iptables` command as typed. */
export interface IptablesCommand {
  readonly family: Family;
  readonly backend: IptablesBackend;
  readonly table: IptablesTableName;
  readonly operation: IptablesOperation;
  readonly origin: Origin;
}

export type IptablesOperation =
  | { readonly kind: "append"; readonly chain: string; readonly rule: Rule }
  | { readonly kind: "check"; readonly chain: string; readonly rule: Rule }
  /** Positions count from 1. */
  | { readonly kind: "insert"; readonly chain: string; readonly position: number; readonly rule: Rule }
  | { readonly kind: "replace"; readonly chain: string; readonly position: number; readonly rule: Rule }
  | { readonly kind: "delete"; readonly chain: string; readonly rule: Rule }
  | { readonly kind: "delete-number"; readonly chain: string; readonly position: number }
  /** Without a chain: all of them. */
  | { readonly kind: "flush"; readonly chain?: string }
  | { readonly kind: "zero"; readonly chain?: string }
  | { readonly kind: "delete-chain"; readonly chain?: string }
  | { readonly kind: "new-chain"; readonly chain: string }
  | { readonly kind: "rename-chain"; readonly chain: string; readonly to: string }
  | { readonly kind: "policy"; readonly chain: string; readonly policy: Policy };
