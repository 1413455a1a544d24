import { isHostName, type ObservedHost, type Symptom } from "../../model/index.ts";
import { isIpv4, PROTO, parseAddress } from "../../net/index.ts";
import { hostOf } from "./target.ts";

const HEAD = /^PING (\S{1,200}?)(?: \(([^)\s]{1,60})\))?(?: from (\S{1,60})[^:]{0,40})?:? /;
/** `PING 10.0.0.9 (10.0.0.9) 1348(1376) bytes of data.` */
const SIZE = /^PING .{1,300} \d{1,6}\((\d{1,6})\) (?:data )?bytes/;
const ANSWER =
  /^\d{1,6} bytes from (\S{1,200})(?: \(([^)\s]{1,60})\))?:? (?:icmp_)?seq[= ](\d{1,10})(?: ttl=(\d{1,3}))?(?: time[=<]([\d.]{1,12}) ?(ms|us)?)?/;
const ERROR = /^From (\S{1,200})(?: \(([^)\s]{1,60})\))?:? icmp_seq[= ]\d{1,10} (.{1,100})/;
const SUMMARY = /^(\d{1,10}) packets transmitted, (\d{1,10}) (?:packets )?received/;

type Found = Omit<Symptom, "place" | "origin" | "tool" | "text">;

/** The lines of one ping, from its head to its summary. */
export class Ping {
  readonly target: ObservedHost;
  readonly name: string | undefined;
  readonly #size: number | undefined;
  #ttl: number | undefined;
  #rtt: number | undefined;
  #answers = 0;
  #by: ObservedHost | undefined;
  #byName: string | undefined;
  #error: string | undefined;
  #errorBy: ObservedHost | undefined;
  #sent: number | undefined;
  #received: number | undefined;

  constructor(target: ObservedHost, name: string | undefined, size?: number) {
    this.target = target;
    this.name = name;
    this.#size = size;
  }

  static begin(line: string): Ping | undefined {
    const m = HEAD.exec(line);
    if (m === null) return undefined;
    const shown = m[2] ?? m[1]!;
    const name = m[2] !== undefined && m[1] !== m[2] ? m[1] : undefined;
    const size = SIZE.exec(line)?.[1];
    return new Ping(parseAddress(shown) ?? { name: shown }, name, size === undefined ? undefined : Number(size));
  }

  /** Whether the line belongs to this ping. */
  take(line: string): boolean {
    const answer = ANSWER.exec(line);
    if (answer !== null) {
      this.#answers++;
      const address = (answer[2] ?? answer[1]!).replace(/:$/, "");
      this.#by = hostOf(address);
      if (answer[2] !== undefined) this.#byName = answer[1];
      if (answer[4] !== undefined) this.#ttl = Number(answer[4]);
      if (answer[5] !== undefined) {
        const ms = Number(answer[5]) / (answer[6] === "us" ? 1000 : 1);
        if (Number.isFinite(ms)) this.#rtt = Math.min(this.#rtt ?? ms, ms);
      }
      return true;
    }
    const error = ERROR.exec(line);
    if (error !== null) {
      this.#error = error[3]!.trim();
      this.#errorBy = hostOf(error[2] ?? error[1]!);
      return true;
    }
    const summary = SUMMARY.exec(line);
    if (summary !== null) {
      this.#sent = Number(summary[1]);
      this.#received = Number(summary[2]);
      return true;
    }
    return /^(?:--- |rtt |round-trip |no answer yet|\^C|Request timeout for icmp_seq)/.test(line);
  }

  get found(): Found {
    const put = <K extends string, V>(key: K, value: V | undefined) =>
      (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
    const answered = this.#answers > 0 || (this.#received ?? 0) > 0;
    const result = answered
      ? "ok"
      : this.#error !== undefined
        ? /unreachable|prohibited|filtered/i.test(this.#error)
          ? "unreachable"
          : "other"
        : this.#sent !== undefined && this.#sent > 0
          ? "timeout"
          : "waiting";
    return {
      target: this.target,
      protocol: !isHostName(this.target) && !isIpv4(this.target) ? PROTO.icmp6 : PROTO.icmp,
      ...put("name", this.name),
      ...put("answeredName", this.#byName),
      result,
      ...put("answeredBy", this.#by ?? this.#errorBy),
      ...put("size", this.#size),
      ...put("ttl", this.#ttl),
      ...put("rtt", this.#rtt),
      ...put("sent", this.#sent),
      ...put("received", this.#received ?? (this.#sent === undefined ? undefined : this.#answers)),
    };
  }
}
