import type { Counters, MaskedAddress, Match, Negatable } from "../../../model/index.ts";
import { lengthOfMask, protocolName, protocolNumber } from "../../../net/index.ts";
import { interfaceName, parseNetwork } from "../values/index.ts";
import type { BaseOption, OptionWord } from "./base-options.ts";
import type { RuleSetting } from "./reader.ts";
import { rawWord, type Words } from "./words.ts";

/** Names that xtables itself knows: these print the same on every machine (xtables_chain_protos). */
const ALWAYS_NAMED = new Set([1, 6, 17, 50, 51, 58, 132, 136]);

const MAX_PRODUCT = 64;

/** Reads the options of a rule that belong to no extension. */
export class Head {
  protocol: Negatable<number> | undefined;
  protocolName: string | undefined;
  inInterface: Negatable<string> | undefined;
  outInterface: Negatable<string> | undefined;
  fragment: { readonly negated: boolean } | undefined;
  counters: Counters | undefined;
  private sources: readonly Negatable<MaskedAddress>[] = [];
  private destinations: readonly Negatable<MaskedAddress>[] = [];
  private readonly seen = new Set<BaseOption>();
  private readonly words: Words;
  private readonly setting: RuleSetting;
  private readonly stray: Match[];

  constructor(words: Words, setting: RuleSetting, stray: Match[]) {
    this.words = words;
    this.setting = setting;
    this.stray = stray;
  }

  /** Every pair of source and destination that the lists given make. */
  combinations(): readonly (readonly [Negatable<MaskedAddress> | undefined, Negatable<MaskedAddress> | undefined])[] {
    const sources = this.sources.length === 0 ? [undefined] : this.sources;
    const destinations = this.destinations.length === 0 ? [undefined] : this.destinations;
    return sources.flatMap((source) => destinations.map((destination) => [source, destination] as const));
  }

  /** Reads the option at `at`; the index of the next word. */
  read(base: BaseOption, option: OptionWord, at: number, bang: number | undefined): number {
    const { texts } = this.words;
    let next = at + 1;
    if (base === "ignored" || base === "ipv4" || base === "ipv6") return next;
    if (base === "fragment") {
      if (this.once(base, at)) this.fragment = { negated: bang !== undefined };
      return next;
    }
    let negated = bang !== undefined;
    let value = option.inline;
    if (value === undefined) {
      if (texts[next] === "!" && !negated) {
        negated = true;
        next++;
      }
      value = texts[next++];
    }
    if (base === "ignored-with-value") return Math.min(next, texts.length);
    if (base === "counters") return this.readCounters(value, at, next);
    if (value === undefined)
      return this.refuse("iptables-missing-value", `${option.name} wants a value`, bang ?? at, at + 1, at);
    const wrong = this.once(base, at) ? this.take(base, value, negated) : "given twice";
    if (wrong === undefined) return next;
    const code = wrong === "given twice" ? "iptables-option-twice" : "iptables-bad-value";
    const message = `${option.name}: ${wrong === "given twice" ? wrong : `"${value.slice(0, 80)}" is not ${wrong}`}`;
    return this.refuse(code, message, bang ?? at, next, option.inline === undefined ? next - 1 : at);
  }

  private once(base: BaseOption, _at: number): boolean {
    if (this.seen.has(base)) return false;
    this.seen.add(base);
    return true;
  }

  /** Keeps the words as an unknown match, so that the rule is not taken to match more than it does. */
  private refuse(code: string, message: string, from: number, to: number, at: number): number {
    const end = Math.min(to, this.words.texts.length);
    this.setting.report("warning", code, message, at);
    const text = Array.from({ length: end - from }, (_, i) => rawWord(this.words, from + i)).join(" ");
    const name = this.words.texts[from] === "!" ? (this.words.texts[from + 1] ?? "!") : this.words.texts[from]!;
    this.stray.push({ kind: "unknown", name, text });
    return end;
  }

  /** What the value should have been, where it is not. */
  private take(base: BaseOption, value: string, negated: boolean): string | undefined {
    switch (base) {
      case "source":
      case "destination":
        return this.takeAddresses(base, value, negated);
      case "protocol":
        return this.takeProtocol(value, negated);
      default: {
        const name = interfaceName.read([value], this.setting);
        if (name === undefined) return interfaceName.expects;
        // A lone plus matches every interface: iptables keeps it only when negated.
        if (name !== "+" || negated) this[base === "in" ? "inInterface" : "outInterface"] = { value: name, negated };
        return undefined;
      }
    }
  }

  private takeAddresses(base: "source" | "destination", value: string, negated: boolean): string | undefined {
    const parts = value.split(",");
    const list: Negatable<MaskedAddress>[] = [];
    if (parts.length > 1 && negated) return "one address, which a negation wants";
    for (const part of parts) {
      const read = parseNetwork(part, this.setting.family);
      if (read === undefined) return `an IPv${this.setting.family} address or network`;
      list.push({ value: read, negated });
    }
    // Everything, not negated, is no condition.
    if (list.length === 1 && !negated && lengthOfMask(list[0]!.value.mask) === 0) return undefined;
    // Two long lists would make their product of rules.
    const other = base === "source" ? this.destinations.length : this.sources.length;
    if (other > 1 && list.length > 1 && other * list.length > MAX_PRODUCT)
      return "a list short enough to be spread out";
    if (base === "source") this.sources = list;
    else this.destinations = list;
    return undefined;
  }

  private takeProtocol(value: string, negated: boolean): string | undefined {
    const number = value === "all" ? 0 : protocolNumber(value);
    if (number === undefined) return "a protocol";
    if (number === 0) return negated ? "a protocol that can be negated" : undefined;
    this.protocol = { value: number, negated };
    const usual = protocolName(number);
    if (value !== usual && value.toLowerCase() !== usual && !ALWAYS_NAMED.has(number)) this.protocolName = value;
    return undefined;
  }

  /** `-c PKTS BYTES` or `-c PKTS,BYTES`. */
  private readCounters(first: string | undefined, at: number, next: number): number {
    const { texts } = this.words;
    const comma = /^(\d{1,20}),(\d{1,20})$/.exec(first ?? "");
    if (comma) {
      this.counters = { packets: Number(comma[1]), bytes: Number(comma[2]) };
      return next;
    }
    const second = texts[next];
    if (/^\d{1,20}$/.test(first ?? "") && second !== undefined && /^\d{1,20}$/.test(second)) {
      this.counters = { packets: Number(first), bytes: Number(second) };
      return next + 1;
    }
    return this.refuse("iptables-bad-value", "-c wants two numbers", at, next, at);
  }
}
