import { text } from "../../../messages/index.ts";
import { wayOf } from "../../cause.ts";
import { commentOf, type RuleCause } from "./place.ts";

/** kube-proxy rejects a Service that has no endpoint, and says so in the comment of the rule. */
export const noEndpoints: RuleCause = {
  code: "NO_ENDPOINTS",
  reads: ({ rule }, scene) =>
    /has no endpoints/.test(commentOf(rule))
      ? text("cause.no_endpoints", { direction: wayOf(scene), stack: scene.leg.stack })
      : undefined,
};
