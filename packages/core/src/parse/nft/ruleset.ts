import type { Counts } from "../../messages/index.ts";
import type {
  Extent,
  NftElement,
  NftFamily,
  NftRule,
  NftSet,
  NftStatement,
  NftTable,
  Origin,
} from "../../model/index.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import { originAt, type Source } from "../source.ts";
import { baseOf, flowtableBlock, isObject, objectBlock, objectNamed, setBlock } from "./blocks.ts";
import { Cursor, NotUnderstood } from "./cursor.ts";
import { type Draft, type DraftChain, draftOf, finish } from "./draft.ts";
import { expand } from "./expand.ts";
import { elements } from "./expression.ts";
import { lex, type Token } from "./lex.ts";
import { statement } from "./statement.ts";

const FAMILIES: ReadonlySet<string> = new Set(["ip", "ip6", "inet", "arp", "bridge", "netdev"]);

/** Commands that change a ruleset. */
const COMMANDS: ReadonlySet<string> = new Set("add create insert replace rename flush delete destroy nft".split(" "));

export interface RulesetReading {
  readonly tables: readonly NftTable[];
  /** The text ends inside of a table. */
  readonly cut: boolean;
  /** It includes what was not given, or a command in it was not understood: the ruleset may be another one. */
  readonly more: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly counts: Counts;
}

/** Written by iptables-nft: nft says so on its error stream, which may stand anywhere in a captured text. */
const MANAGED = /^# Warning: table (\S+) (\S+) is managed by iptables-nft/;

/**
 * Reads `nft list ruleset` and everything else in nft's own language: listings, scripts, single commands. Never throws.
 * `terse`: printed by `nft -t`, which leaves the elements of sets out.
 */
export function readRuleset(source: Source, extent: Extent = "whole", terse = false): RulesetReading {
  return new Ruleset(source, undefined, terse).read(extent);
}

/** What a command is typed upon: the tables that are there, to which it has to fit. */
export interface Upon {
  readonly tables: readonly NftTable[];
  /** Of what the command adds. */
  readonly origin: Origin;
}

/** The tables after commands typed upon them. What nft or the kernel would refuse is a diagnostic. */
export const readUpon = (source: Source, upon: Upon): RulesetReading => new Ruleset(source, upon).read("whole");

class Ruleset {
  readonly #upon: Upon | undefined;
  readonly #terse: boolean;
  #cut = false;
  #more = false;
  readonly #source: Source;
  readonly #c: Cursor;
  readonly #diagnostics: Diagnostic[] = [];
  readonly #tables = new Map<string, Draft>();

  constructor(source: Source, upon?: Upon, terse = false) {
    this.#upon = upon;
    this.#terse = terse;
    for (const table of upon?.tables ?? []) this.#tables.set(`${table.family} ${table.name}`, draftOf(table));
    this.#source = source;
    const { tokens, includes, undefined: missing } = expand(lex(source));
    this.#c = new Cursor(tokens);
    this.#more = includes.length > 0;
    for (const t of includes) this.#say(t, "nft-include", `what "${t.text}" holds was not given`, "warning");
    for (const t of missing.slice(0, 100)) this.#say(t, "nft-undefined", `nothing defines $${t.text}`, "warning");
  }

  read(extent: Extent): RulesetReading {
    const c = this.#c;
    for (c.skipEnds(); c.peek().kind !== "end"; c.skipEnds()) {
      const at = c.at;
      const { text } = c.peek();
      // A command that was not followed: what the ruleset is behind it nobody can say.
      if (!this.#tolerating(() => this.#command()) && COMMANDS.has(text)) this.#more = true;
      if (c.at === at) c.next();
    }
    for (const line of this.#source.lines) {
      const managed = MANAGED.exec(line.slice(0, 300));
      const table = managed === null ? undefined : this.#tables.get(`${managed[1]} ${managed[2]}`);
      if (table !== undefined) table.ofIptables = true;
    }
    const shown = this.#more ? "partial" : extent;
    const tables = [...this.#tables.values()].map((t) => finish(t, t.extent ?? shown));
    const sum = (count: (t: NftTable) => number) => tables.reduce((n, t) => n + count(t), 0);
    return {
      tables,
      cut: this.#cut,
      more: this.#more,
      diagnostics: this.#diagnostics,
      counts: {
        tables: tables.length,
        chains: sum((t) => t.chains.length),
        rules: sum((t) => t.chains.reduce((n, chain) => n + chain.rules.length, 0)),
        sets: sum((t) => t.sets.length),
        elements: sum((t) => t.sets.reduce((n, set) => n + set.elements.length, 0)),
      },
    };
  }

  #say(token: Token, code: string, message: string, severity: "error" | "warning" = "error"): void {
    this.#diagnostics.push(
      diagnose(this.#source, token.line, token.column, code, message, {
        severity,
        length: Math.max(1, token.text.length),
      }),
    );
  }

  /** Runs it; where it does not understand, says so and skips the statement from its beginning, with all that its braces hold. */
  #tolerating(run: () => void): boolean {
    const from = this.#c.at;
    try {
      run();
      return true;
    } catch (problem) {
      if (!(problem instanceof NotUnderstood)) throw problem;
      this.#say(problem.token, "nft-not-understood", problem.message);
      this.#c.back(from);
      this.#c.rest();
      return false;
    }
  }

  #origin(token: Token = this.#c.peek()): Origin {
    return this.#upon?.origin ?? originAt(this.#source, token.line);
  }

  #table(family: NftFamily, name: string, makes = false): Draft {
    const key = `${family} ${name}`;
    let table = this.#tables.get(key);
    if (table === undefined) {
      if (this.#upon !== undefined && !makes) throw new NotUnderstood(this.#c.peek(), `there is no table ${key}`);
      table = {
        family,
        name,
        flags: [],
        ofIptables: false,
        chains: new Map(),
        sets: new Map(),
        objects: new Map(),
        flowtables: new Map(),
        origin: this.#origin(),
      };
      this.#tables.set(key, table);
    }
    return table;
  }

  #chain(table: Draft, name: string, makes = false): DraftChain {
    let chain = table.chains.get(name);
    if (chain === undefined) {
      if (this.#upon !== undefined && !makes)
        throw new NotUnderstood(this.#c.peek(), `${table.family} ${table.name} has no chain ${name}`);
      chain = { rules: [], origin: this.#origin() };
      table.chains.set(name, chain);
    }
    return chain;
  }

  #family(): NftFamily {
    const { text } = this.#c.peek();
    if (!FAMILIES.has(text)) return "ip";
    this.#c.next();
    return text as NftFamily;
  }

  #command(): void {
    const c = this.#c;
    // `nft add rule …` as typed.
    if (c.take("nft")) while (c.peek().kind === "word" && c.peek().text.startsWith("-")) c.next();
    const token = c.peek();
    const verb = token.text;
    if (verb === "table") {
      this.#block();
      return;
    }
    if (verb === "add" || verb === "create" || verb === "insert") {
      c.next();
      this.#add(verb);
      return;
    }
    if (verb === "rename") {
      c.next();
      this.#rename();
      return;
    }
    if (verb === "replace") {
      c.next();
      this.#replace();
      return;
    }
    if (verb === "flush" || verb === "delete" || verb === "destroy") {
      c.next();
      this.#remove(verb);
      return;
    }
    // An excerpt: a chain without the table around it.
    if (verb === "chain" && c.peek(2).text === "{") {
      c.next();
      this.#chainBlock(this.#table("inet", "?"), c.word("a chain's name"));
      return;
    }
    if (verb === "element" || verb === "rule" || verb === "chain" || verb === "set" || verb === "map") {
      this.#add("add");
      return;
    }
    if (verb === "list" || verb === "reset" || verb === "monitor" || verb === "describe" || verb === "export") {
      c.rest();
      return;
    }
    throw new NotUnderstood(token, "a table or a command should stand here");
  }

  /** `table inet filter { … }` */
  #block(): void {
    const c = this.#c;
    c.next();
    const family = this.#family();
    const table = this.#table(family, c.word("a table's name"), true);
    if (!c.take("{")) return;
    for (;;) {
      while (c.peek().kind === "end of line" || c.is(";") || c.peek().kind === "handle") c.next();
      if (c.take("}")) return;
      if (c.peek().kind === "end") {
        this.#cut = true;
        this.#say(c.peek(), "nft-cut", "the listing ends inside a table", "warning");
        return;
      }
      const at = c.at;
      this.#tolerating(() => this.#item(table));
      if (c.at === at) c.next();
    }
  }

  #item(table: Draft): void {
    const c = this.#c;
    const token = c.peek();
    switch (token.text) {
      case "flags":
        c.next();
        table.flags = c.rest().filter((w) => w !== ",");
        return;
      case "comment":
        c.next();
        table.comment = c.word("a comment");
        return;
      case "chain":
        c.next();
        this.#chainBlock(table, c.word("a chain's name"));
        return;
      case "set":
      case "map":
      case "meter":
        c.next();
        this.#set(table, token.text, c.word("a set's name"));
        return;
      case "flowtable":
        c.next();
        this.#flowtable(table, c.word("a flowtable's name"));
        return;
      default:
        this.#object(table);
        return;
    }
  }

  #chainBlock(table: Draft, name: string): void {
    const c = this.#c;
    const chain = this.#chain(table, name, true);
    if (!c.take("{")) return;
    for (;;) {
      while (c.peek().kind === "end of line" || c.is(";") || c.peek().kind === "handle") c.next();
      if (c.take("}")) return;
      if (c.peek().kind === "end") {
        this.#cut = true;
        this.#say(c.peek(), "nft-cut", "the listing ends inside a chain", "warning");
        return;
      }
      const at = c.at;
      if (c.is("type") && ["filter", "nat", "route"].includes(c.peek(1).text)) {
        const read = this.#tolerating(() => {
          chain.base = baseOf(this.#c, table.family);
        });
        if (!read) chain.unread = true;
      } else if (c.is("policy") && chain.base !== undefined) {
        const { base } = chain;
        const read = this.#tolerating(() => {
          c.next();
          chain.base = { ...base, policy: c.word("a policy") === "drop" ? "drop" : "accept" };
        });
        if (!read) chain.unread = true;
      } else if (c.is("comment") && chain.rules.length === 0) {
        c.next();
        chain.comment = c.word("a comment");
      } else if (c.is("flags") && c.peek(1).text === "offload") c.rest();
      else chain.rules.push(this.#rule());
      if (c.at === at) c.next();
    }
  }

  #rule(): NftRule {
    const c = this.#c;
    const origin = this.#origin();
    const statements: NftStatement[] = [];
    let comment: string | undefined;
    let handle: number | undefined;
    while (!c.atEnd() && c.peek().kind !== "handle") {
      if (c.is("comment") && (c.peek(1).kind === "string" || c.peek(1).kind === "word")) {
        c.next();
        comment = c.next().text;
        continue;
      }
      const from = c.at;
      try {
        statements.push(statement(c));
      } catch (problem) {
        if (!(problem instanceof NotUnderstood)) throw problem;
        this.#say(problem.token, "nft-not-understood", problem.message);
        c.back(from);
        statements.push({ kind: "not understood", words: c.rest() });
      }
    }
    if (c.peek().kind === "handle") handle = Number(c.next().text);
    return { statements, ...(comment !== undefined && { comment }), ...(handle !== undefined && { handle }), origin };
  }

  readonly #tolerate = (run: () => void): boolean => this.#tolerating(run);

  #set(table: Draft, kind: NftSet["kind"], name: string): void {
    const set = setBlock(this.#c, kind, name, this.#origin(), this.#tolerate);
    if (set === undefined) return;
    if (this.#c.peek(-1).text !== "}") this.#cut = true;
    table.sets.set(name, this.#terse && set.elements.length === 0 ? { ...set, elementsKnown: false } : set);
  }

  #flowtable(table: Draft, name: string): void {
    const made = flowtableBlock(this.#c, table.family, name, this.#origin(), this.#tolerate);
    if (made !== undefined) table.flowtables.set(name, made);
  }

  #object(table: Draft): void {
    const made = objectBlock(this.#c, this.#origin());
    table.objects.set(`${made.kind === "other" ? made.object : made.kind} ${made.name}`, made);
  }

  /** `add rule inet filter input …`, `add chain …`, `add set …`, `add element …`. */
  #add(verb: "add" | "create" | "insert"): void {
    const c = this.#c;
    const first = verb === "insert";
    const token = c.peek();
    let what = c.word("what is added");
    if (what === "table") {
      const family = this.#family();
      const made = c.word("a table's name");
      if (verb === "create" && this.#tables.has(`${family} ${made}`)) this.#missing(token, `${family} ${made} exists`);
      const table = this.#table(family, made, true);
      if (c.take("{")) {
        for (c.skipEnds(); !c.take("}") && c.peek().kind !== "end"; c.skipEnds()) this.#item(table);
      }
      return;
    }
    if (what === "ct") what = `ct ${c.word("a kind of object")}`;
    if (FAMILIES.has(what) || c.atEnd()) throw new NotUnderstood(token, "what is added is not said");
    const family = this.#family();
    const table = this.#table(family, c.word("a table's name"));
    const name = c.word("a name");
    const exists =
      what === "chain" ? table.chains.has(name) : what !== "rule" && what !== "element" && table.sets.has(name);
    if (verb === "create" && exists) this.#missing(token, `${table.family} ${table.name} ${name} exists`);
    switch (what) {
      case "chain":
        this.#chainBlock(table, name);
        return;
      case "set":
      case "map":
        this.#set(table, what, name);
        return;
      case "flowtable":
        this.#flowtable(table, name);
        return;
      case "rule": {
        const chain = this.#chain(table, name);
        let at = first ? 0 : chain.rules.length;
        while (c.is("position") || c.is("index") || c.is("handle")) {
          const by = c.next().text;
          const number = c.number("a position");
          const found = by === "index" ? number : chain.rules.findIndex((r) => r.handle === number);
          if (found < 0 || found >= chain.rules.length)
            this.#missing(token, `chain ${name} shows no rule with ${by} ${number}`);
          if (found >= 0) at = first ? found : found + 1;
        }
        chain.rules.splice(at, 0, this.#rule());
        return;
      }
      case "element": {
        const added = elements(c);
        const set = table.sets.get(name);
        if (set === undefined) throw new NotUnderstood(token, `the set ${name} was not given`);
        if (verb === "create" && added.some((e) => hasElement(set, e))) this.#missing(token, "the element exists");
        table.sets.set(name, { ...set, elements: [...set.elements, ...added] });
        return;
      }
      default: {
        if (!isObject(what)) throw new NotUnderstood(token, `"add ${what}" is not known`);
        const made = objectNamed(c, what, name, this.#origin(token));
        table.objects.set(`${what} ${name}`, made);
        return;
      }
    }
  }

  /** `replace rule inet filter input handle 5 …`: nft knows handles alone. */
  #replace(): void {
    const c = this.#c;
    const token = c.peek();
    c.expect("rule");
    const family = this.#family();
    const table = this.#table(family, c.word("a table's name"));
    const name = c.word("a chain's name");
    const { rules } = this.#chain(table, name);
    c.expect("handle");
    const handle = c.number("a handle");
    const at = rules.findIndex((r) => r.handle === handle);
    // In a script it may be a rule that the listing before it did not number.
    if (at < 0) throw new NotUnderstood(token, `chain ${name} shows no rule with handle ${handle}`);
    rules[at] = { ...this.#rule(), handle };
  }

  /** `rename chain inet filter input in`: rules that lead to it go on doing so. */
  #rename(): void {
    const c = this.#c;
    const token = c.peek();
    c.expect("chain");
    const table = this.#table(this.#family(), c.word("a table's name"));
    const [from, to] = [c.word("a chain's name"), c.word("a name")];
    const chain = table.chains.get(from);
    if (chain?.base === undefined || table.chains.has(to))
      throw new NotUnderstood(token, `only a base chain is renamed here, to a name that is free`);
    // In its place: which of two at one priority runs first goes by when they were made.
    const renamed = [...table.chains].map(([name, c]) => [name === from ? to : name, c] as const);
    table.chains.clear();
    for (const [name, c] of renamed) table.chains.set(name, c);
  }

  /** Said where a command has to fit what is there. */
  #missing(token: Token, message: string): void {
    if (this.#upon !== undefined) throw new NotUnderstood(token, message);
  }

  #remove(verb: string): void {
    const c = this.#c;
    const token = c.peek();
    const what = c.word("what is taken away");
    if (what === "ruleset") {
      const family = FAMILIES.has(c.peek().text) ? c.next().text : undefined;
      for (const [key, table] of [...this.#tables])
        if (family === undefined || table.family === family) this.#tables.delete(key);
      return;
    }
    const family = this.#family();
    const name = c.word("a table's name");
    const table = this.#tables.get(`${family} ${name}`);
    if (table === undefined && verb !== "destroy") this.#missing(token, `there is no table ${family} ${name}`);
    if (what === "table") {
      if (verb !== "flush") this.#tables.delete(`${family} ${name}`);
      else for (const chain of table?.chains.values() ?? []) chain.rules.length = 0;
      return;
    }
    const which = c.atEnd() ? "" : c.word("a name");
    const has = what === "chain" || what === "rule" ? table?.chains.has(which) : table?.sets.has(which);
    if (has !== true && verb !== "destroy" && ["chain", "rule", "set", "map", "element"].includes(what))
      this.#missing(token, `${family} ${name} has no ${what === "rule" ? "chain" : what} ${which}`);
    if (what === "chain" && verb === "flush") {
      const chain = table?.chains.get(which);
      if (chain !== undefined) chain.rules.length = 0;
    } else if (what === "chain") table?.chains.delete(which);
    else if (what === "rule") {
      if (c.take("commented")) {
        const comment = c.word("a comment");
        const chain = table?.chains.get(which);
        const kept = (chain?.rules ?? []).filter((r) => r.comment !== comment);
        chain?.rules.splice(0, chain.rules.length, ...kept);
        return;
      }
      // By its place only a proof takes a rule away: nft knows handles alone.
      const placed = c.take("place");
      if (!placed) c.take("handle");
      const handle = c.number("a handle");
      const rules = table?.chains.get(which)?.rules ?? [];
      const at = placed ? (handle <= rules.length ? handle - 1 : -1) : rules.findIndex((r) => r.handle === handle);
      if (at >= 0) rules.splice(at, 1);
      else this.#missing(token, `chain ${which} shows no rule with handle ${handle}`);
    } else if (what === "set" || what === "map") {
      const set = table?.sets.get(which);
      if (set !== undefined && verb === "flush") table?.sets.set(which, { ...set, elements: [] });
      else table?.sets.delete(which);
    } else if (what === "element") {
      const taken = elements(c);
      const gone = new Set(taken.map(keyOf));
      const set = table?.sets.get(which);
      if (set?.elementsKnown === true && verb !== "destroy" && !taken.every((e) => hasElement(set, e)))
        this.#missing(token, `${family} ${name} ${which} has no such element`);
      if (set !== undefined)
        table?.sets.set(which, { ...set, elements: set.elements.filter((e) => !gone.has(keyOf(e))) });
    } else if (table === undefined) {
      c.rest();
      throw new NotUnderstood(token, `"${verb} ${what}" is not known`);
    } else c.rest();
  }
}

const keyOf = ({ key }: NftElement): string => JSON.stringify(key, (_, v) => (typeof v === "bigint" ? `${v}` : v));
const hasElement = ({ elements: had }: NftSet, e: NftElement): boolean => {
  const key = keyOf(e);
  return had.some((h) => keyOf(h) === key);
};
