export { CAUSES, SIGNS } from "./catalogue.ts";
export type { Cause, Certainty, Check, ClaimedCause, Finding, Scene } from "./cause.ts";
export { disabledHolder } from "./causes/ipv6/discovery.ts";
export { filteredError } from "./causes/ipv6/pmtu-filtered.ts";
export { refusedLocalnet } from "./causes/routing/route-localnet.ts";
export { CAUSE_CODES, type CauseCode } from "./code.ts";
export { explain, inOrder } from "./explain.ts";
export { missingPeerRoute } from "./peer-route.ts";
export { type Drift, type Look, type Sign, signs } from "./sign.ts";
