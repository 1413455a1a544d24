import { deviceWord } from "@hairpin/core/model/word.ts";
import { formatAddress } from "@hairpin/core/net/index.ts";
import type { Refusal } from "./compile/refusal.ts";
import type { ListenSpec, RelaySpec } from "./executor/protocol.ts";
import type { Session } from "./executor/session.ts";
import type { LabListener, LabPlan, LabRelay } from "./plan.ts";

/** Starts the servers and relays of a plan, once its world stands. */
export async function serve(session: Session, world: string, plan: LabPlan): Promise<readonly Refusal[]> {
  for (const relay of plan.relays) {
    await session.call("relay", { world, stack: relay.stack, spec: relaySpec(relay) });
  }
  if (plan.listeners.length === 0) return [];
  const listeners = plan.listeners.map(listenSpec);
  const answers = await session.call("listen", { world, listeners });
  return answers.flatMap((errno, i) => {
    const { stack, name } = listeners[i]!;
    return errno === null ? [] : [{ stack, what: `listen on ${name}`, answer: errno }];
  });
}

export const relaySpec = (relay: LabRelay): RelaySpec => ({
  device: deviceWord(relay.device),
  port: relay.port,
  routes: relay.routes.map(({ to, via }) => ({
    network: formatAddress(to.address),
    length: to.length,
    via: formatAddress(via),
  })),
  ...(relay.address === undefined ? {} : { address: formatAddress(relay.address) }),
});

export const listenSpec = (l: LabListener): ListenSpec => ({
  stack: l.stack,
  protocol: l.protocol,
  name: listenerName(l),
  address: l.address === undefined ? (l.family === 6 ? "::" : "0.0.0.0") : formatAddress(l.address),
  port: l.port,
  reply: l.reply ?? "contacted",
  ...(l.whole === undefined ? {} : { whole: l.whole }),
  ...(l.device === undefined ? {} : { device: deviceWord(l.device) }),
});

/** How observations name a listener. */
export const listenerName = (l: LabListener): string => `${l.stack} ${l.protocol}/${l.port}`;
