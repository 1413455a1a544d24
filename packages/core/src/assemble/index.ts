export { type Assembly, assemble } from "./assemble.ts";
export { bindVip, openVips } from "./kube-proxy/bind-vip.ts";
export type { Note, NoteKind } from "./ledger.ts";
export { applyPatch, type Patched, type PatchProblem } from "./patch/index.ts";
