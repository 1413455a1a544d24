/** Why a typed command changes nothing: not understood, or the kernel or the tool would refuse it. */
export type PatchRefusal =
  /** In the words of the tool or the kernel, which are the same in every language. */
  | { readonly kind: "answered"; readonly answer: string }
  /** A reader's own sentence about a word it does not know. */
  | { readonly kind: "not-understood"; readonly tool: string; readonly detail: string }
  | { readonly kind: "several-commands"; readonly operator: string }
  | { readonly kind: "not-modelled"; readonly tool: string }
  | { readonly kind: "only-modelled"; readonly tool: string; readonly form: string }
  | { readonly kind: "word-not-modelled"; readonly tool: string; readonly word: string }
  | { readonly kind: "changes-nothing"; readonly tool: string }
  | { readonly kind: "no-value" }
  | { readonly kind: "empty" }
  /** A name that no command line can hold. */
  | { readonly kind: "unspeakable"; readonly detail: string }
  | { readonly kind: "no-node"; readonly name: string; readonly names: readonly string[] }
  | { readonly kind: "no-nodes" }
  | { readonly kind: "which-node"; readonly names: readonly string[] }
  | { readonly kind: "no-device"; readonly stack: string; readonly device: string }
  | { readonly kind: "of-the-cluster" }
  | { readonly kind: "no-service"; readonly name: string }
  | { readonly kind: "no-endpoints-shown"; readonly name: string; readonly namespace: string }
  | { readonly kind: "no-node-programmed"; readonly name: string }
  | { readonly kind: "no-chain"; readonly stack: string; readonly chain: string }
  | { readonly kind: "no-field" }
  | { readonly kind: "say-field" }
  | { readonly kind: "not-json" }
  | { readonly kind: "field-not-modelled"; readonly field: string; readonly fields: readonly string[] }
  | { readonly kind: "not-a-value"; readonly value: string; readonly field: string };
