import { formatAddress } from "@hairpin/core/net/index.ts";
import { type Asked, type Held, heldTo } from "@hairpin/core/trace/alike/held.ts";
import type { Scenario } from "./scenario.ts";

/**
 * What answers say of the packets for which they hold, put to the walk: every connection, datagram and ping of a scenario that a stack of it
 * sends, each asked once of its World as it was drawn.
 */
export function regionsOf({ world, steps }: Scenario, where: number): Held {
  const questions = new Map<string, Asked>();
  for (const step of steps) {
    if (step.kind !== "connect" && step.kind !== "udp" && step.kind !== "ping") continue;
    const question: Asked = {
      from: `stack/${step.stack}`,
      to: formatAddress(step.to),
      ...(step.kind === "ping" ? { proto: "icmp" } : { port: step.port, proto: step.kind === "udp" ? "udp" : "tcp" }),
      ...(step.bindAddress !== undefined && { bind: formatAddress(step.bindAddress) }),
    };
    questions.set(JSON.stringify(question), question);
  }
  let asked = 0;
  const otherwise: string[] = [];
  for (const [text, question] of questions) {
    const held = heldTo(world, question, where);
    asked += held.asked;
    otherwise.push(...held.otherwise.map((what) => `${text}, ${what}`));
  }
  return { asked, otherwise };
}
