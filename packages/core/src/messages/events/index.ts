export { assumptionText } from "./assumed.ts";
export { decisionText, sayDecision } from "./decision.ts";
export { factCommand, factText } from "./fact.ts";
export { refusalText } from "./patch-refusal.ts";
export { dropName, packetName, placeText, seesText } from "./places.ts";
export { faultText } from "./question-fault.ts";
