import type { Random } from "../../random.ts";
import { nameOf6, said6 } from "./in-ipv6.ts";

/** What makes a rule one of a single protocol. */
const PROTOCOLS: readonly RegExp[] = [
  /\btcp (?:dport|sport|flags|reset)|(?:l4proto|ip protocol) tcp/,
  /\budp dport|(?:l4proto|ip protocol) udp/,
  /\bicmp type|(?:l4proto|ip protocol) icmp/,
];

interface DraftTable {
  readonly family: string;
  readonly name: string;
  readonly sets: string[];
  readonly chains: Map<string, { readonly head: string; readonly rules: string[] }>;
}

/** Tables under construction, as the text of a ruleset. */
export class Draft {
  readonly #tables: DraftTable[] = [];

  get isEmpty(): boolean {
    return this.#tables.length === 0;
  }

  /** A new table; its name is made unique. */
  table(family: string, name: string): TableDraft {
    const number = this.#tables.filter((t) => t.name.replace(/_\d+$/, "") === name).length;
    const table = { family, name: number === 0 ? name : `${name}_${number}`, sets: [], chains: new Map() };
    this.#tables.push(table);
    return new TableDraft(table);
  }

  /** In any order: at equal priority the order of loading decides. `both`: everything in IPv6 as well. */
  text(random: Random, both: boolean): string {
    return random
      .shuffled(this.#tables)
      .flatMap((t) => (both ? inBoth(t) : [t]))
      .map((t) => {
        // A chain is named before it is jumped to.
        const chains = [...t.chains].map(
          ([name, { head, rules }]) =>
            `\tchain ${name} {\n${[head, ...rules]
              .filter((l) => l !== "")
              .map((l) => `\t\t${l}\n`)
              .join("")}\t}\n`,
        );
        return `table ${t.family} ${t.name} {\n${t.sets.map((s) => `\t${s}\n`).join("")}${chains.join("")}}\n`;
      })
      .join("");
  }
}

/** A table of IPv4 and its twin of IPv6; in one of both families what speaks of IPv4 is said twice. */
function inBoth(t: DraftTable): readonly DraftTable[] {
  const chains = (rules: (rule: string) => readonly string[]) =>
    new Map([...t.chains].map(([name, chain]) => [name, { ...chain, rules: chain.rules.flatMap(rules) }] as const));
  if (t.family === "ip")
    return [t, { ...t, family: "ip6", sets: t.sets.map(said6), chains: chains((rule) => [said6(rule)]) }];
  const named = new Set<string>();
  const sets = t.sets.flatMap((set) => {
    const [, kind, name, rest] = /^(set|map) (\S+) (.*)$/s.exec(set)!;
    if (said6(rest!) === rest) return [set];
    named.add(name!);
    return [set, `${kind} ${nameOf6(name!)} ${said6(rest!)}`];
  });
  const twice = (rule: string): readonly string[] => {
    const other = said6(rule).replace(/@([\w-]+)/g, (at, name: string) => (named.has(name) ? `@${nameOf6(name)}` : at));
    return other === rule ? [rule] : [rule, other];
  };
  return [{ ...t, sets, chains: chains(twice) }];
}

export class TableDraft {
  readonly #table: DraftTable;

  constructor(table: DraftTable) {
    this.#table = table;
  }

  get family(): string {
    return this.#table.family;
  }

  /** `ip` before an address of a translation, which a table of both families has to say. */
  get natFamily(): string {
    return this.#table.family === "inet" ? "ip " : "";
  }

  base(name: string, head: string, ...rules: readonly string[]): void {
    this.#table.chains.set(name, { head, rules: this.#fitting(rules) });
  }

  chain(name: string, ...rules: readonly string[]): void {
    this.#table.chains.set(name, { head: "", rules: this.#fitting(rules) });
  }

  add(chain: string, ...rules: readonly string[]): void {
    this.#table.chains.get(chain)!.rules.push(...this.#fitting(rules));
  }

  set(text: string): void {
    this.#table.sets.push(text);
  }

  /** Those that nft takes: of one protocol, and in a table of one family without words for both. */
  #fitting(rules: readonly string[]): string[] {
    const said =
      this.family === "inet"
        ? rules
        : rules.map((rule) =>
            rule
              .replace("icmpx no-route", "icmp net-unreachable")
              .replace("icmpx", "icmp")
              .replace("meta nfproto ipv4", "meta protocol ip"),
          );
    return said.filter((rule) => PROTOCOLS.filter((protocol) => protocol.test(rule)).length < 2);
  }
}

/** `type filter hook forward priority 0; policy accept;` */
export const hooked = (hook: string, priority: number, type = "filter", policy = "accept"): string =>
  `type ${type} hook ${hook} priority ${priority}; policy ${policy};`;
