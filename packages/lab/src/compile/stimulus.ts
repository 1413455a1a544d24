import { deviceWord } from "@hairpin/core/model/word.ts";
import { formatAddress } from "@hairpin/core/net/index.ts";
import type { ClientSpec, StimulusSpec } from "../executor/protocol.ts";
import type { Pace } from "../pace.ts";
import type { Stimulus } from "../plan.ts";

/** A stimulus in the executor's words; `change` is none of them. */
export function stimulusSpec(stimulus: Exclude<Stimulus, { readonly kind: "change" }>, pace: Pace): StimulusSpec {
  switch (stimulus.kind) {
    case "connect":
      return {
        kind: "connect",
        id: stimulus.id,
        port: stimulus.port,
        retransmit: stimulus.retransmit === true,
        ...clientSpec(stimulus, pace),
        ...(stimulus.bind?.port === undefined ? {} : { sport: stimulus.bind.port }),
      };
    case "udp":
      return {
        kind: "udp",
        port: stimulus.port,
        connected: stimulus.unconnected !== true,
        errorQueue: stimulus.errorQueue === true,
        ...clientSpec(stimulus, pace),
        ...(stimulus.bind?.port === undefined ? {} : { sport: stimulus.bind.port }),
      };
    case "ping":
      return {
        kind: "ping",
        ...clientSpec(stimulus, pace),
        ...(stimulus.ident === undefined ? {} : { ident: stimulus.ident }),
        ...(stimulus.sequence === undefined ? {} : { sequence: stimulus.sequence }),
      };
    case "inject":
      return {
        kind: "inject",
        stack: stimulus.stack,
        device: deviceWord(stimulus.device),
        frame: Buffer.from(stimulus.frame).toString("base64"),
        bare: stimulus.bare === true,
        count: stimulus.count ?? 1,
      };
    case "send":
      return { kind: "send", id: stimulus.id, size: stimulus.size ?? 4 };
    case "close":
      return { kind: "close", id: stimulus.id, how: stimulus.how };
    case "wait":
      return { kind: "wait", seconds: stimulus.milliseconds / 1000 };
  }
}

function clientSpec(stimulus: Extract<Stimulus, { readonly to: unknown }>, pace: Pace): ClientSpec {
  const { bind } = stimulus;
  return {
    stack: stimulus.stack,
    to: formatAddress(stimulus.to),
    ...(bind?.device === undefined ? {} : { device: deviceWord(bind.device) }),
    ...(bind?.address === undefined ? {} : { address: formatAddress(bind.address) }),
    ...(stimulus.mark === undefined ? {} : { mark: stimulus.mark }),
    ...(stimulus.tos === undefined ? {} : { tos: stimulus.tos }),
    ...(stimulus.ttl === undefined ? {} : { ttl: stimulus.ttl }),
    ...(stimulus.size === undefined ? {} : { size: stimulus.size }),
    timeout: (stimulus.timeout ?? 5000) / 1000,
    patience: (stimulus.patience ?? pace.patience) / 1000,
    resolve: pace.resolve / 1000,
  };
}
