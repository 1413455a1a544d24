import { chainOfService, hashed, isHarmless } from "./harmless.ts";
import type { Keyed } from "./keyed.ts";
import { knownWords, UNIT } from "./known-words.ts";

const PATH = /(?:^|\/)nodes\/([^/]+)(?:\/(pods|containers|netns|vms)\/([^/]+)(?:\/([^/]+)(?=\/))?)?/;
/** kube-proxy's comments: `shop/web:http cluster IP`, `shop/web`. */
const COMMENT = /--comment "?([a-z0-9][a-z0-9.-]{0,252})\/([a-z0-9][a-z0-9.-]{0,252})(?=[:" ]|$)/gm;
const OBJECT =
  /^\s*(?:- )?"?(name|namespace|nodeName|hostname|generateName)"?: "?([a-z0-9][a-z0-9.-]{1,252})"?,?\s*$/gm;
/** Interfaces by the beginning of their names: `-i tenant+`, `iifname "tenant*"`, kube-proxy's interfaceNamePrefix. */
const WILDCARD =
  /([\p{L}\p{N}][\p{L}\p{N}_-]*)[+*](?!\p{L}|\p{N})|interfaceNamePrefix"?: *"?([\p{L}\p{N}][\p{L}\p{N}_-]*)/gu;

const COUNTER_HEAD = /^((?:Ip|Icmp|Tcp|Udp|UdpLite|MPTcp)6?(?:Ext|Msg)?)[A-Z][A-Za-z0-9]+$/;

const WORD = /[\p{L}\p{N}]+/gu;
const FILE = /(?<![\p{L}\p{N}_.-])[a-zA-Z0-9][a-zA-Z0-9_.-]{1,60}\.(?:txt|ya?ml|json|env)(?![\p{L}\p{N}_-])/gu;
/** For private use, and no letter: what it stands before belongs to no name. */
const HIDDEN = "\uF8FF";

type Kind = "node" | "namespace" | "name" | "x";

/** Numbers that a kernel, a bridge or a runtime made up: they stay hexadecimal and as long. */
const HEX = /^(?=.*\d)(?:[0-9a-f]{8}|[0-9a-f]{12,13})$|^[0-9a-f]{16,128}$/i;

/**
 * What each name is called instead: the same everywhere, by a number in the order of finding it. Names that a reader knows stay,
 * whatever they name: they are everybody's.
 */
export class NameMap {
  private readonly names = new Map<string, string>();
  /** Names that stand where names of nodes, namespaces, pods and other objects do. */
  private readonly input = new Set<string>();
  private readonly counts: Record<Kind, number> = { node: 0, namespace: 0, name: 0, x: 0 };
  private readonly wildcards = new Set<string>();
  /** Words of the bundle: no new name is one of them. */
  private readonly taken = new Set<string>();
  private readonly by: Keyed;

  constructor(by: Keyed) {
    this.by = by;
  }

  private fresh(kind: Kind): string {
    for (;;) {
      const count = ++this.counts[kind];
      // No such name is the beginning of another: a wildcard takes in what it took in before.
      const name = kind === "x" ? `x${count}x` : `${kind}-${count}`;
      if (!this.taken.has(name)) return name;
    }
  }

  private add(kind: Kind, name: string | undefined): void {
    const [first = "", ...domain] = (name ?? "").split(".");
    for (const [i, label] of [first, ...domain].entries()) {
      if (this.names.has(label) || !/^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u.test(label)) continue;
      if (knownWords().has(label.toLowerCase()) || /^\d+$/.test(label)) continue;
      this.names.set(label, this.fresh(i === 0 ? kind : "x"));
      this.input.add(label);
    }
  }

  /** Which words there are; before anything is learnt. */
  see(text: string): void {
    for (const [word] of text.matchAll(/(?<![\p{L}\p{N}_-])(?:(?:node|namespace|name)-\d+|x\d+x)(?![\p{L}\p{N}_-])/gu))
      this.taken.add(word);
  }

  learn(path: string, text: string): void {
    const folders = PATH.exec(path);
    if (folders !== null) {
      this.add("node", folders[1]);
      if (folders[2] === "pods") {
        this.add("namespace", folders[3]);
        this.add("name", folders[4]);
      } else this.add("name", folders[3]);
    }
    for (const [, namespace, name] of text.matchAll(COMMENT)) {
      this.add("namespace", namespace);
      this.add("name", name);
    }
    if (/\.(?:ya?ml|json)$/.test(path))
      for (const [, key, name] of text.matchAll(OBJECT))
        this.add(key === "namespace" ? "namespace" : key === "name" || key === "generateName" ? "name" : "node", name);
    if (/uname[^/]*$/.test(path)) this.add("node", /^Linux (\S+) /.exec(text)?.[1]);
    for (const [, wildcard, prefix] of text.matchAll(WILDCARD)) this.wildcards.add((wildcard ?? prefix)!);
  }

  /** One name. `long`: numbers of any length are counters here. */
  unit(unit: string, long: boolean): string {
    const named = this.names.get(unit);
    if (named !== undefined) return named;
    if (isHarmless(unit)) return unit;
    if (/^\d+$/.test(unit)) return long ? unit : this.digits(unit);
    const replaced = this.replaced(unit);
    this.names.set(unit, replaced);
    return replaced;
  }

  private replaced(unit: string): string {
    const made = hashed(unit);
    if (made !== undefined) return made.head + this.alike(made.hash);
    const owned = chainOfService(unit);
    if (owned !== undefined) return `${owned.head}${this.alike(owned.hash)}-${this.unit(owned.namespace, false)}`;
    if (HEX.test(unit) || /^0x[0-9a-f]+$/i.test(unit)) return this.alike(unit);
    // The reader of counters knows them by their form.
    const counter = COUNTER_HEAD.exec(unit)?.[1];
    if (counter !== undefined) return `${counter}X${this.fresh("x")}`;
    // A version goes on behind its number.
    const version = /^(\d{1,5})([-_])(?=.*\p{L})/u.exec(unit);
    if (version !== null && !/^\d{1,3}(?:[-_]\d{1,3}){3}/.test(unit))
      return `${version[1]}${version[2]}${this.fresh("x")}`;
    const wildcard = [...this.wildcards].find((w) => unit.startsWith(w) && unit !== w);
    return wildcard === undefined ? this.fresh("x") : this.unit(wildcard, true) + this.fresh("x");
  }

  private digits(unit: string): string {
    const bytes = this.by.bytes(`digits ${unit}`);
    return Array.from(unit, (_, i) => (i === 0 ? 1 + (bytes[0]! % 9) : bytes[i % bytes.length]! % 10)).join("");
  }

  /** Other characters of the same alphabet. */
  private alike(text: string): string {
    const bytes = Buffer.concat([
      this.by.bytes(`hash ${text}`),
      this.by.bytes(`more ${text}`),
      this.by.bytes(`most ${text}`),
    ]);
    const prefix = /^0x/i.test(text) ? 2 : 0;
    const alphabet = /^(?:0x)?[0-9a-f]+$/.test(text)
      ? "0123456789abcdef"
      : /^(?:0x)?[0-9A-F]+$/.test(text)
        ? "0123456789ABCDEF"
        : /^[A-Z2-7]+$/.test(text)
          ? "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
          : "abcdefghijklmnopqrstuvwxyz234567";
    return (
      text.slice(0, prefix) +
      Array.from(text.slice(prefix), (_, i) => alphabet[bytes[i % bytes.length]! % alphabet.length]).join("")
    );
  }

  /** A part of a path: the name of a file tells the command whose output it holds, word by word. */
  part(part: string): string {
    return part.replace(/[^.]+/g, (label) => {
      const words = label.match(WORD) ?? [];
      if (!this.input.has(label) && words.every((word) => isHarmless(word))) return label;
      return this.names.has(label) ? this.unit(label, true) : label.replace(WORD, (word) => this.unit(word, true));
    });
  }

  replace(text: string, long: boolean): string {
    // A manifest names the bundle's own files.
    return text
      .replace(FILE, (name) => (this.part(name) === name ? name.replace(/./g, (c) => HIDDEN + c) : name))
      .replace(UNIT, (unit) => this.unit(unit, long))
      .replaceAll(HIDDEN, "");
  }
}
