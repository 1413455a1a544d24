import { couldBeTranslated, flowKey, type ObservedIp, TCP, translationMark } from "../model/index.ts";

/** Joins flows that translation split: sets of flow keys, merged by what translation leaves alone. */
export class FlowGroups {
  readonly #parent = new Map<string, string>();
  readonly #marks = new Map<string, { readonly key: string; readonly ip: ObservedIp }[]>();

  root(key: string): string {
    let at = key;
    for (let up = this.#parent.get(at); up !== undefined && up !== at; up = this.#parent.get(at)) {
      const above = this.#parent.get(up);
      if (above !== undefined) this.#parent.set(at, above);
      at = up;
    }
    return at;
  }

  #join(a: string, b: string): void {
    const [x, y] = [this.root(a), this.root(b)];
    if (x !== y) this.#parent.set(y, x);
  }

  /** By flow: the first number with which it was opened; by capture and flow: the connection it is at. */
  readonly #firsts = new Map<string, number>();
  readonly #current = new Map<string, string>();

  /** The connection a packet is of: a SYN with another first number opens a new one under the same ports. */
  #keyOf(ip: ObservedIp, capture: string): string {
    const flow = flowKey(ip);
    const at = `${capture} ${flow}`;
    const { flags = 0, seq, relative } = ip.tcp ?? {};
    const opens = (flags & TCP.SYN) !== 0 && (flags & TCP.ACK) === 0 && relative !== true && seq !== undefined;
    if (!opens) return this.#current.get(at) ?? flow;
    const first = this.#firsts.get(flow) ?? seq;
    this.#firsts.set(flow, first);
    const key = seq === first ? flow : `${flow} #${seq}`;
    this.#current.set(at, key);
    return key;
  }

  /** Takes a packet in; it joins the flows that carried the same one under other addresses. */
  add(ip: ObservedIp, capture: string): string {
    const key = this.#keyOf(ip, capture);
    if (!this.#parent.has(key)) this.#parent.set(key, key);
    const mark = translationMark(ip);
    if (mark === undefined) return key;
    const known = this.#marks.get(mark) ?? [];
    if (known.length === 0) this.#marks.set(mark, known);
    if (known.some((k) => k.key === key)) return key;
    const like = known.find((k) => couldBeTranslated(mark, k.ip, ip));
    if (like !== undefined) this.#join(like.key, key);
    if (known.length < 16) known.push({ key, ip });
    return key;
  }
}
