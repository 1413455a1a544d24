import { couldBeTranslated, flowKey, type ObservedIp, translationMark } from "../model/index.ts";

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

  /** Takes a packet in; it joins the flows that carried the same one under other addresses. */
  add(ip: ObservedIp): string {
    const key = flowKey(ip);
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
