import type { Family } from "../../net/index.ts";

/** What there is instead of a name that is not: names like it, or some of all. */
export type Others =
  | { readonly kind: "none" }
  | { readonly kind: "near"; readonly names: readonly string[] }
  | { readonly kind: "some"; readonly names: readonly string[]; readonly more: number };

type Side = "from" | "to";

/** Why a question cannot be asked as it was typed. */
export type QuestionFault =
  | { readonly kind: "no-asker"; readonly known: readonly string[]; readonly all: number }
  | { readonly kind: "no-asked" }
  | { readonly kind: "protocol"; readonly given: string }
  | { readonly kind: "other-family"; readonly given: Family; readonly address: string; readonly family: Family }
  | { readonly kind: "no-device"; readonly option: "in" | "bind"; readonly device: string; readonly stack: string }
  | { readonly kind: "no-stack"; readonly name: string; readonly names: readonly string[] }
  | { readonly kind: "no-pod"; readonly name: string }
  | { readonly kind: "service-asks"; readonly name: string }
  | { readonly kind: "no-family-address"; readonly name: string; readonly family: Family | undefined }
  | { readonly kind: "nobody-so-written"; readonly side: Side; readonly given: string }
  | { readonly kind: "several-nodes" }
  | { readonly kind: "no-target"; readonly given: string }
  | { readonly kind: "port-needed"; readonly given: string }
  | { readonly kind: "no-such-port"; readonly given: string }
  | { readonly kind: "no-address"; readonly stack: string; readonly family: Family | undefined }
  | { readonly kind: "several-so-called"; readonly name: string; readonly names: readonly string[] }
  | { readonly kind: "nobody-so-called"; readonly side: Side; readonly name: string; readonly others: Others }
  | { readonly kind: "no-node"; readonly name: string; readonly others: Others }
  | { readonly kind: "no-service"; readonly name: string; readonly others: Others }
  | { readonly kind: "external-name"; readonly name: string }
  | { readonly kind: "say-port"; readonly name: string; readonly protocol: string; readonly ports: readonly string[] }
  | { readonly kind: "no-node-port"; readonly name: string; readonly port: number }
  | { readonly kind: "say-node" }
  | { readonly kind: "via"; readonly given: string }
  | {
      readonly kind: "no-service-address";
      readonly name: string;
      readonly family: Family | undefined;
      readonly via: string;
    }
  | { readonly kind: "headless"; readonly name: string; readonly pods: readonly string[] };
