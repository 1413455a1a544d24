import { parseAddress } from "@hairpin/core/net/index.ts";
import type { RawResult, RawSeen } from "../executor/protocol.ts";
import type { ClientResult, ServedRecord } from "../observation.ts";

const endpoint = (pair: readonly [string, number] | null | undefined) => {
  const address = pair === null || pair === undefined ? undefined : parseAddress(pair[0]);
  return address === undefined ? undefined : { address, port: pair![1] };
};

export function decodeResult(raw: RawResult): ClientResult {
  const local = endpoint(raw.local);
  const from = endpoint(raw.from);
  return {
    outcome: raw.outcome,
    phase: raw.phase as ClientResult["phase"],
    echoed: raw.echoed ?? 0,
    ...(raw.errno === undefined ? {} : { errno: raw.errno }),
    ...(local === undefined ? {} : { local }),
    ...(from === undefined ? {} : { from }),
    ...(raw.type === undefined ? {} : { icmp: { type: raw.type, code: raw.code ?? 0 } }),
    ...(raw.errorQueue === undefined ? {} : { errorQueue: raw.errorQueue.map(decodeQueued) }),
  };
}

function decodeQueued(raw: NonNullable<RawResult["errorQueue"]>[number]) {
  const from = raw.from === null ? undefined : parseAddress(raw.from);
  return { errno: raw.errno, type: raw.type, code: raw.code, ...(from === undefined ? {} : { from }) };
}

export function decodeServed(raw: RawSeen["served"][number]): ServedRecord {
  const [protocol, listener, peer, peerPort, local, localPort] = raw;
  return { protocol, listener, peer: parseAddress(peer)!, peerPort, local: parseAddress(local)!, localPort };
}
