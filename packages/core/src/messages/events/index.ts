export { assumptionText } from "./assumed.ts";
export { decisionText, sayDecision } from "./decision.ts";
export { dropName, packetName, placeText, seesText } from "./places.ts";
