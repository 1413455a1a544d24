import { type Chain, type IptablesTable, isHashedChain, type Rule, type Target } from "../../model/index.ts";
import { formatAddress } from "../../net/index.ts";
import { isTerminal } from "./commute.ts";
import { criteriaOf, isStateful } from "./criteria.ts";
import { besideOdds, type Item, isIdle, type Names, oddsOf } from "./item.ts";
import { inOneOrder } from "./order.ts";

/** Rules that no packet reaches are looked for among combinations of this many criteria. */
const MAX_CRITERIA = 5;
/** Shares are compared to this many places: kube-proxy prints ten, the kernel keeps 31 bits. */
const PLACES = 5;

type ListNames = (name: string) => string;

/** A chain of one Service or endpoint: kube-proxy names it by a hash. */

/**
 * A table by what it means: chains told by their content instead of their names, rules without comments and counters, those
 * without effect left out, those whose order says nothing in one order. Two tables whose built-in chains have the same
 * `id` do the same to every packet.
 */
export class TableShape {
  readonly table: IptablesTable;
  readonly #names: Names;
  readonly #chains: ReadonlyMap<string, Chain>;
  readonly #items = new Map<string, readonly Item[]>();
  readonly #idle = new Map<string, readonly Item[]>();
  readonly #ids = new Map<string, string>();
  readonly #open = new Set<string>();

  /** Every rule counts, also one that decides nothing as things are: a jump to an empty chain, what no packet reaches. */
  readonly #strict: boolean;

  constructor(table: IptablesTable, names: Names, strict = false) {
    this.#strict = strict;
    this.table = table;
    this.#names = names;
    this.#chains = new Map(table.chains.map((c) => [c.name, c]));
  }

  chain(name: string): Chain | undefined {
    return this.#chains.get(name);
  }

  /** What is in a chain, under one short name. */
  id(name: string): string {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const chain = this.#chains.get(name);
    if (chain === undefined) return `missing ${name}`;
    // A chain cannot call itself in a kernel; a dump that says so is compared by name.
    if (this.#open.has(name)) return `loop ${name}`;
    this.#prepare(chain);
    return this.#ids.get(name)!;
  }

  /** What a chain calls comes before it, by a stack of its own: chains may call each other deeper than a program may. */
  #prepare(first: Chain): void {
    const stack = [{ chain: first, called: this.#calledBy(first), next: 0 }];
    this.#open.add(first.name);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const name = top.called[top.next++];
      if (name !== undefined) {
        const chain = this.#chains.get(name);
        if (chain === undefined || this.#ids.has(name) || this.#open.has(name)) continue;
        this.#open.add(name);
        stack.push({ chain, called: this.#calledBy(chain), next: 0 });
        continue;
      }
      const { chain } = top;
      const items = inOneOrder(this.#read(chain));
      this.#items.set(chain.name, items);
      const keys = items.map((i) => i.key).join("\n");
      this.#ids.set(chain.name, this.#names.of(`${chain.extent}\n${this.#end(chain)}\n${keys}`));
      this.#open.delete(chain.name);
      stack.pop();
    }
  }

  /** Chains whose content is asked for where this one is read: those it leads to, and those its lists of clients belong to. */
  #calledBy({ rules }: Chain): readonly string[] {
    return rules.flatMap(({ target, matches }) => [
      ...(target.kind === "jump" ? [target.chain] : []),
      ...matches.flatMap((m) => (m.kind === "recent" ? [m.name] : [])),
    ]);
  }

  items(name: string): readonly Item[] {
    const known = this.#items.get(name);
    if (known !== undefined) return known;
    this.id(name);
    return this.#items.get(name) ?? [];
  }

  /** Jumps of a chain to one in which nothing stands: they do nothing here, and may do something on the other side. */
  idleJumps(name: string): readonly Item[] {
    this.items(name);
    return this.#idle.get(name) ?? [];
  }

  /** What becomes of a packet at the end of a built-in chain: a last rule that takes everything stands for the policy. */
  #end(chain: Chain): string {
    if (chain.policy === undefined) return "";
    const last = chain.rules.find((r) => takesAll(r) && isTerminal(r.target) && r.target.kind !== "return");
    return last === undefined ? chain.policy : "";
  }

  #read(chain: Chain): readonly Item[] {
    const items: Item[] = [];
    const idle: Item[] = [];
    this.#idle.set(chain.name, idle);
    const ended = new Set<string>();
    // Session affinity asks the list of the endpoint that it leads to: which that is, the jump says.
    const listNames =
      ({ target }: Rule): ListNames =>
      (name) => {
        if (name === chain.name) return "own";
        if (target.kind === "jump" && target.chain === name) return "of the target";
        return this.#chains.has(name) ? `of ${this.#sendsTo(name)}` : name;
      };
    const empty = this.#names.of("whole\n\n");
    const { rules } = chain;
    for (let i = 0; i < rules.length; i++) {
      const rule = rules[i]!;
      if (isIdle(rule)) continue;
      const run = this.#run(rules, i, listNames);
      if (run !== undefined) {
        items.push(run);
        i += run.rules.length - 1;
        continue;
      }
      const criteria = criteriaOf(rule, listNames(rule));
      const effect = this.#effect(rule.target);
      if (!this.#strict && effect === `jump ${empty}` && !rule.matches.some(isStateful)) {
        idle.push({ key: "", match: criteria.join(" & "), effect, rules: [rule], at: i });
        continue;
      }
      if (!this.#strict && covered(criteria, ended)) continue;
      const match = criteria.join(" & ");
      if (isTerminal(rule.target) && !rule.matches.some(isStateful)) {
        if (!this.#strict && match === "" && rule.target.kind === "return") break;
        if (!criteria.some((c) => /^!?mark /.test(c))) ended.add(match);
      }
      items.push({ key: `${match} -> ${effect}`, match, effect, rules: [rule], at: i });
      if (!this.#strict && match === "" && isTerminal(rule.target)) break;
    }
    return items;
  }

  /**
   * Rules that share out packets by chance. Where each leads to an end, what counts is who gets how much; where one comes back, the
   * next is asked, and their order counts too.
   */
  #run(rules: readonly Rule[], at: number, listNames: (rule: Rule) => ListNames): Item | undefined {
    const first = rules[at]!;
    const odds = oddsOf(first);
    if (odds === undefined || odds === 1 || !this.#leads(first.target)) return undefined;
    const match = besideOdds(first, listNames(first));
    let left = 1;
    let ending = true;
    const shares = new Map<string, number>();
    const members: Rule[] = [];
    for (let i = at; i < rules.length && left > 0; i++) {
      const rule = rules[i]!;
      const p = oddsOf(rule);
      if (p === undefined || !this.#leads(rule.target) || besideOdds(rule, listNames(rule)) !== match) break;
      const effect = this.#effect(rule.target);
      ending &&= this.#ends(rule.target);
      shares.set(effect, (shares.get(effect) ?? 0) + left * p);
      left *= 1 - p;
      members.push(rule);
    }
    const listed = [...shares].map(([to, share]) => `${share.toFixed(PLACES)} ${to}`);
    const effect = ending ? listed.sort().join(" | ") : `in turn ${listed.join(" | ")}`;
    return { key: `${match} -> one of ${effect}`, match, effect, rules: members, at };
  }

  #leads(target: Target): boolean {
    return target.kind === "jump" ? !target.goto : this.#ends(target);
  }

  /** Whether nothing behind this target is asked: a verdict, or a chain whose last rule gives one to its protocol. */
  #ends(target: Target): boolean {
    if (target.kind !== "jump") return isTerminal(target) && target.kind !== "return";
    const last = this.#chains.get(target.chain)?.rules.at(-1);
    if (last === undefined || !isTerminal(last.target) || last.target.kind === "return") return false;
    // `-m recent --set` notes the client and always matches.
    const query = last.matches.filter((m) => m.kind !== "recent" || m.command !== "set" || m.negated);
    return criteriaOf({ ...last, matches: query }).every((c) => c.startsWith("proto "));
  }

  /** Lists of clients are kept for endpoints: whose list it is shows by where its chain sends packets. */
  #sendsTo(name: string): string {
    for (const { target } of this.#chains.get(name)?.rules ?? [])
      if (target.kind === "dnat") return this.#effect(target);
    return this.id(name);
  }

  #effect(target: Target): string {
    switch (target.kind) {
      case "jump":
        return `${target.goto ? "goto" : "jump"} ${this.#strict && !isHashedChain(target.chain) ? target.chain : ""}${this.id(target.chain)}`;
      case "dnat":
      case "snat": {
        const { addresses, ports, basePort } = target.to;
        const where = addresses === undefined ? "" : `${formatAddress(addresses.from)}-${formatAddress(addresses.to)}`;
        const port = ports === undefined ? "" : `:${ports.from}-${ports.to}`;
        return `${target.kind} ${where}${port}/${basePort ?? ""} ${target.random}${target.randomFully}${target.persistent}`;
      }
      default:
        return JSON.stringify(target);
    }
  }
}

const takesAll = (rule: Rule): boolean => criteriaOf(rule).length === 0;

/** An earlier rule that ends the walk asks for no more than these: no packet gets here. */
function covered(criteria: readonly string[], ended: ReadonlySet<string>): boolean {
  if (ended.size === 0) return false;
  if (criteria.length > MAX_CRITERIA) return ended.has("") || ended.has(criteria.join(" & "));
  for (let pick = 0; pick < 1 << criteria.length; pick++) {
    if (ended.has(criteria.filter((_, i) => pick & (1 << i)).join(" & "))) return true;
  }
  return false;
}
