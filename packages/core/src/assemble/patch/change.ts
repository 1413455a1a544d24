import type { PatchRefusal } from "../../model/faults/patch-refusal.ts";
import type { Origin, Stack } from "../../model/index.ts";
import type { IpCommand } from "../../parse/iproute2/command/command.ts";
import type { IpsetCommand } from "../../parse/ipset/index.ts";
import type { IptablesCommand } from "../../parse/iptables/command/command.ts";
import type { IpvsCommand } from "../../parse/ipvs/index.ts";
import type { SysctlCommand } from "../../parse/sysctl/index.ts";
import type { ConntrackSelector } from "./conntrack.ts";
import type { ServiceField } from "./service/field.ts";

/** One change of one stack, as typed and understood. */
export type Change =
  | { readonly kind: "iptables"; readonly command: IptablesCommand }
  /** `insert rule inet fw forward …`: what stands behind `nft` and its options. */
  | { readonly kind: "nft"; readonly command: string; readonly origin: Origin }
  | { readonly kind: "ip"; readonly command: IpCommand }
  | { readonly kind: "ipset"; readonly command: IpsetCommand }
  | { readonly kind: "ipvs"; readonly command: IpvsCommand }
  | { readonly kind: "sysctl"; readonly command: SysctlCommand }
  | { readonly kind: "hairpin"; readonly port: string; readonly on: boolean; readonly origin: Origin }
  | { readonly kind: "module"; readonly name: string; readonly remove?: true; readonly origin: Origin }
  | { readonly kind: "conntrack"; readonly selector: ConntrackSelector; readonly origin: Origin }
  /** Something a packet's way does not depend on in this model: checksums left to the card. */
  | { readonly kind: "offload"; readonly device: string; readonly origin: Origin }
  /** Of the cluster: what follows from it on a stack. */
  | { readonly kind: "service"; readonly field: ServiceField; readonly was: string; readonly origin: Origin };

/** The stack after a change, or why the kernel or the tool would refuse it. */
export type Changed =
  | { readonly ok: true; readonly stack: Stack }
  | { readonly ok: false; readonly refusal: PatchRefusal };

export const changed = (stack: Stack): Changed => ({ ok: true, stack });
export const refused = (refusal: PatchRefusal): Changed => ({ ok: false, refusal });
/** What the tool or the kernel would print. */
export const answered = (answer: string): Changed => refused({ kind: "answered", answer });
