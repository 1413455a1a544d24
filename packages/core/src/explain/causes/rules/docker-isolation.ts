import { text } from "../../../messages/index.ts";
import { isDockerIsolation } from "../../../model/index.ts";
import { wayOf } from "../../cause.ts";
import type { RuleCause } from "./dropping-rule.ts";

/** Docker lets nothing pass from one of its networks to another. */
export const dockerIsolation: RuleCause = {
  code: "DOCKER_ISOLATION",
  reads: ({ chain }, scene) =>
    isDockerIsolation(chain.name)
      ? text("cause.docker_isolation", { direction: wayOf(scene), stack: scene.leg.stack })
      : undefined,
};
