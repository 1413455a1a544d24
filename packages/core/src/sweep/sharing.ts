import type { World } from "../model/index.ts";
import type { Inspected } from "./answer.ts";
import type { Flow } from "./plan.ts";

/** Which flows go the same way as one that was walked. */
export class Sharing<Known> {
  constructor(_world: World) {}
  find(_flow: Flow): Known | undefined {
    return undefined;
  }
  learn(_flow: Flow, _inspected: Inspected, _known: Known): void {}
}
