import { type ObservedFrame, type ObservedTime, TCP } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { PROTO, parseAddress } from "../../net/index.ts";

const LINE =
  /^\s{0,12}\d{1,9}\s+(\d{1,10}\.\d{3,9})\s+(\S{1,60}) (?:→|->) (\S{1,60})\s+([A-Z]\S{1,15}) (\d{1,6}) (.{0,600})/;
const PORTS = /^(?:\[[^\]]{1,60}\] ){0,4}(\d{1,5}) ?(?:→|->|>) ?(\d{1,5})/;
const FLAGS = /\[([A-Z, ]{3,40})\](?: Seq=(\d{1,10}))?(?: Ack=(\d{1,10}))?/;
const BITS: Readonly<Record<string, number>> = lookup(TCP);

/** `  1 0.000000000 10.0.0.1 → 10.0.0.2 TCP 74 40000 → 80 [SYN] Seq=0 Win=64240`; its sequence numbers are relative. */
export function tsharkLine(line: string): { readonly frame: ObservedFrame; readonly time: ObservedTime } | undefined {
  const m = LINE.exec(line);
  if (m === null) return undefined;
  const [, seconds, from = "", to = "", kind = "", , info = ""] = m;
  const src = parseAddress(from);
  const dst = parseAddress(to);
  if (src === undefined || dst === undefined) return undefined;
  const ports = PORTS.exec(info);
  const flags = FLAGS.exec(info);
  const bits = flags?.[1]?.split(/, ?/).reduce((sum, f) => sum | (BITS[f] ?? 0), 0);
  const length = / Len=(\d{1,6})/.exec(info)?.[1];
  const protocol =
    kind === "TCP" || flags !== null
      ? PROTO.tcp
      : kind === "UDP"
        ? PROTO.udp
        : kind === "ICMP"
          ? PROTO.icmp
          : undefined;
  const echo = /^Echo \(ping\) (request|reply)\s+id=0x([0-9a-f]{1,4}), seq=(\d{1,5})/.exec(info);
  return {
    time: { seconds: Number(seconds), base: "previous" },
    frame: {
      ip: {
        src,
        dst,
        ...(protocol === undefined ? {} : { protocol }),
        ...(ports === null ? {} : { sport: Number(ports[1]), dport: Number(ports[2]) }),
        ...(length === undefined ? {} : { payload: Number(length) }),
        ...(protocol === PROTO.tcp && bits !== undefined
          ? {
              tcp: {
                flags: bits,
                ...(flags?.[2] === undefined ? {} : { seq: Number(flags[2]) }),
                ...(flags?.[3] === undefined ? {} : { ack: Number(flags[3]) }),
                relative: true,
              },
            }
          : {}),
        ...(echo === null
          ? {}
          : {
              icmp: {
                type: echo[1] === "request" ? 8 : 0,
                code: 0,
                id: Number.parseInt(echo[2]!, 16),
                seq: Number(echo[3]),
              },
            }),
      },
    },
  };
}
