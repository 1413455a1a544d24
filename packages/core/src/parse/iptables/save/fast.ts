import type {
  CommentMatch,
  Counters,
  IptablesBackend,
  IptablesTableName,
  JumpTarget,
  MaskedAddress,
  Match,
  Negatable,
  Origin,
  Rule,
  Target,
} from "../../../model/index.ts";
import {
  applyMask,
  type Family,
  lengthOfMask,
  maskOf,
  type PortRange,
  parseIpv4,
  protocolName,
  protocolNumber,
} from "../../../net/index.ts";
import { commonRule, fullRule, NO_MATCHES, NO_TARGET, STANDARD } from "../rule/record.ts";
import { extensionOfMatch, extensionOfTarget } from "../rule/registry.ts";
import { readRule } from "../rule/rule.ts";
import { splitWords } from "../rule/words.ts";
import { parseNetwork } from "../values/index.ts";

/**
 * The way most lines of a large dump go. It knows the shape in which iptables-save prints a rule and nothing of the
 * extensions: the text of each `-m …` and `-j …` part is looked up among those already met, and a new one is read by
 * the general reader. Whatever looks unusual in the least is left to the general reader as a whole, so that both ways
 * give the same rules (fast.test.ts holds them together).
 */

/** Where rules are read into: a table, whether it is being read as a whole or a chain at a time. */
export interface RuleHome<C extends { readonly builtIn: boolean }> {
  readonly family: Family;
  readonly backend: IptablesBackend;
  readonly name: IptablesTableName;
  readonly origin: Origin;
  /** The chain named by line[start, end), as a target of the rule at `index` of `from`. */
  jumpTo(from: C, line: string, start: number, end: number, index: number): JumpTarget | undefined;
}

/** A part of a rule as met before. Null: not for this way. */
interface Part<R> {
  readonly record: R;
  /** The kernel restricts it to some hooks, which matters in built-in chains. */
  readonly restricted: boolean;
}

/** Parts met under one protocol; what a part means depends on it. */
class Parts {
  readonly matches = new Map<string, Part<Match> | null>();
  readonly targets = new Map<string, Part<Target> | null>();
  readonly protocol: Negatable<number> | undefined;
  readonly prefix: string;
  readonly ports: boolean;
  constructor(number: number, negated: boolean) {
    this.protocol = number === 0 ? undefined : { value: number, negated };
    this.prefix = number === 0 ? "" : `${negated ? "! " : ""}-p ${protocolName(number)} `;
    this.ports = !negated && (number === 6 || number === 17 || number === 132);
  }
}

const SPACE = 32;
const QUOTE = 34;
const MAX_REMEMBERED = 20_000;
const COMMENT = "comment --comment ";
const DNAT = "DNAT --to-destination ";

export class FastReader<C extends { readonly builtIn: boolean }> {
  private readonly table: RuleHome<C>;
  private readonly parts = new Map<string, Parts | null>();
  private readonly noProtocol = new Parts(0, false);
  private readonly tcp = new Parts(6, false);
  private readonly udp = new Parts(17, false);

  private lastComment: CommentMatch = { kind: "comment", text: "" };
  private commentEnd = 0;
  private readonly ports = new Map<number, PortRange>();

  constructor(table: RuleHome<C>) {
    this.table = table;
  }

  /** The rule that starts at `at`, after `-A CHAIN `; undefined: ask the general reader. */
  read(
    line: string,
    at: number,
    chain: C,
    index: number,
    origin: Origin,
    counters: Counters | undefined,
  ): Rule | undefined {
    let source: Negatable<MaskedAddress> | undefined;
    let destination: Negatable<MaskedAddress> | undefined;
    let inInterface: Negatable<string> | undefined;
    let outInterface: Negatable<string> | undefined;
    let parts: Parts = this.noProtocol;
    let target: Target = NO_TARGET;
    // Most rules have three matches at most; an array that grew by push() would hold room for seventeen.
    let first: Match | undefined;
    let second: Match | undefined;
    let third: Match | undefined;
    let more: Match[] | undefined;
    let match: Match | undefined;
    let negated = false;
    const n = line.length;
    let i = at;
    while (i < n) {
      const c = line.charCodeAt(i);
      if (c === 33) {
        if (negated || line.charCodeAt(i + 1) !== SPACE) return undefined;
        negated = true;
        i += 2;
        continue;
      }
      if (c !== 45 || line.charCodeAt(i + 2) !== SPACE) return undefined;
      const start = i + 3;
      switch (line.charCodeAt(i + 1)) {
        case 115: // -s
        case 100: {
          // -d
          if (first !== undefined) return undefined;
          let end = line.indexOf(" ", start);
          if (end < 0) end = n;
          const network =
            this.table.family === 4 ? parseNetwork4(line, start, end) : parseNetwork6(line.slice(start, end));
          if (network === undefined) return undefined;
          if (line.charCodeAt(i + 1) === 115) {
            if (source !== undefined) return undefined;
            source = { value: network, negated };
          } else {
            if (destination !== undefined) return undefined;
            destination = { value: network, negated };
          }
          negated = false;
          i = end + 1;
          break;
        }
        case 112: {
          // -p
          if (parts !== this.noProtocol || first !== undefined) return undefined;
          let end = line.indexOf(" ", start);
          if (end < 0) end = n;
          const known = this.protocol(line, start, end, negated);
          if (known === null) return undefined;
          parts = known;
          negated = false;
          i = end + 1;
          break;
        }
        case 105: // -i
        case 111: {
          // -o
          if (first !== undefined) return undefined;
          let end = line.indexOf(" ", start);
          if (end < 0) end = n;
          const length = end - start;
          if (length === 0 || length > 15 || (length === 1 && line.charCodeAt(start) === 43)) return undefined;
          const name = line.slice(start, end);
          if (name === "!" || !isBareName(name)) return undefined;
          if (line.charCodeAt(i + 1) === 105) {
            if (inInterface !== undefined) return undefined;
            inInterface = { value: name, negated };
          } else {
            if (outInterface !== undefined) return undefined;
            outInterface = { value: name, negated };
          }
          negated = false;
          i = end + 1;
          break;
        }
        case 109: {
          // -m
          if (negated) return undefined;
          if (line.startsWith(COMMENT, start)) {
            const from = start + COMMENT.length;
            match = this.comment(line, from);
            if (match === undefined) return undefined;
            i = this.commentEnd + 1;
          } else {
            const end = endOfPart(line, start);
            const part = this.match(line.slice(i, end), parts);
            if (part === null || (part.restricted && chain.builtIn)) return undefined;
            match = part.record;
            i = end + 1;
          }
          if (first === undefined) first = match;
          else if (second === undefined) second = match;
          else if (third === undefined) third = match;
          else if (more === undefined) more = [first, second, third, match];
          else more.push(match);
          break;
        }
        case 106: {
          // -j, the last part of a rule
          if (negated) return undefined;
          const found = this.target(line, i, start, parts, chain, index);
          if (found === undefined) return undefined;
          target = found;
          i = n;
          break;
        }
        default:
          return undefined;
      }
    }
    if (negated || i === at) return undefined;
    const matches =
      first === undefined
        ? NO_MATCHES
        : second === undefined
          ? [first]
          : third === undefined
            ? [first, second]
            : (more ?? [first, second, third]);
    const rule = commonRule(source, destination, inInterface, outInterface, parts.protocol, matches, target, origin);
    if (counters === undefined) return rule;
    return fullRule(rule, { protocolName: undefined, fragment: undefined, counters, lossy: undefined });
  }

  /** The comment whose value starts at `from`. Neighbours often say the same and then share it. */
  private comment(line: string, from: number): CommentMatch | undefined {
    const last = this.lastComment;
    const end = from + 1 + last.text.length;
    if (line.charCodeAt(end) === QUOTE && line.charCodeAt(from) === QUOTE && line.startsWith(last.text, from + 1)) {
      if (end + 1 < line.length && line.charCodeAt(end + 1) !== SPACE) return undefined;
      this.commentEnd = end + 1;
      return last;
    }
    const quoted = line.charCodeAt(from) === QUOTE;
    const start = quoted ? from + 1 : from;
    let stop = line.indexOf(quoted ? '"' : " ", start);
    if (stop < 0) {
      if (quoted) return undefined;
      stop = line.length;
    }
    const text = line.slice(start, stop);
    if (text.length > 255 || (quoted ? text.indexOf("\\") >= 0 : text === "" || /["\t]/.test(text))) return undefined;
    if (quoted) {
      stop++;
      if (stop < line.length && line.charCodeAt(stop) !== SPACE) return undefined;
    }
    this.commentEnd = stop;
    const match: CommentMatch = { kind: "comment", text };
    if (quoted) this.lastComment = match;
    return match;
  }

  private protocol(line: string, start: number, end: number, negated: boolean): Parts | null {
    if (!negated && end - start === 3 && line.charCodeAt(start + 2) === 112) {
      if (line.startsWith("tcp", start)) return this.tcp;
      if (line.startsWith("udp", start)) return this.udp;
    }
    const name = line.slice(start, end);
    const key = negated ? `!${name}` : name;
    let parts = this.parts.get(key);
    if (parts === undefined) {
      const number = protocolNumber(name);
      parts =
        number === undefined || number === 0 || protocolName(number) !== name || this.parts.size > 512
          ? null
          : new Parts(number, negated);
      this.parts.set(key, parts);
    }
    return parts;
  }

  private match(text: string, parts: Parts): Part<Match> | null {
    const known = parts.matches.get(text);
    if (known !== undefined) return known;
    // A quote may hide where the part ends.
    const rule = text.indexOf('"') >= 0 ? undefined : this.readAlone(parts.prefix + text);
    const record = rule?.matches[0];
    const fits = rule !== undefined && rule.matches.length === 1 && rule.target.kind === "none" && isPlain(rule, parts);
    const extension = record && extensionOfMatch(record, this.table.family);
    const part =
      record === undefined || !fits || extension === undefined
        ? null
        : { record, restricted: extension.hooks !== undefined };
    if (parts.matches.size < MAX_REMEMBERED) parts.matches.set(text, part);
    return part;
  }

  private target(
    line: string,
    option: number,
    start: number,
    parts: Parts,
    chain: C,
    index: number,
  ): Target | undefined {
    const space = line.indexOf(" ", start);
    if (space < 0) {
      const jump = this.table.jumpTo(chain, line, start, line.length, index);
      if (jump !== undefined) return jump;
      const standard = STANDARD.get(line.slice(start));
      if (standard !== undefined) return standard;
    } else if (parts.ports && !chain.builtIn && this.table.name === "nat" && line.startsWith(DNAT, start)) {
      const target = this.dnat(line, start + DNAT.length);
      if (target !== undefined) return target;
    }
    const text = line.slice(option);
    let part = parts.targets.get(text);
    if (part === undefined) {
      const rule = this.readAlone(parts.prefix + text);
      const record = rule?.target;
      const extension = record && extensionOfTarget(record, this.table.family);
      const fits = rule !== undefined && rule.matches.length === 0 && isPlain(rule, parts);
      // TCPMSS looks at the rule's matches.
      part =
        record === undefined || extension === undefined || !fits || record.kind === "tcpmss"
          ? null
          : { record, restricted: extension.hooks !== undefined };
      if (parts.targets.size < MAX_REMEMBERED) parts.targets.set(text, part);
    }
    return part === null || (part.restricted && chain.builtIn) ? undefined : part.record;
  }

  /** `a.b.c.d:port` to the end of the line, as kube-proxy's rules end. */
  private dnat(line: string, start: number): Target | undefined {
    const n = line.length;
    const colon = line.indexOf(":", start);
    const address = colon < 0 ? undefined : parseIpv4(line, start, colon);
    if (address === undefined) return undefined;
    let i = colon;
    let port = 0;
    const first = ++i;
    for (; i < n; i++) {
      const c = line.charCodeAt(i);
      if (c < 48 || c > 57 || (i > first && port === 0)) return undefined;
      port = port * 10 + c - 48;
    }
    if (i === first || i - first > 5 || port > 65_535) return undefined;
    return {
      kind: "dnat",
      to: { addresses: { from: address, to: address }, ports: this.portRange(port) },
      random: false,
      randomFully: false,
      persistent: false,
    };
  }

  /** Ranges of one port, shared. */
  private portRange(port: number): PortRange {
    let range = this.ports.get(port);
    if (range === undefined) {
      range = { from: port, to: port };
      this.ports.set(port, range);
    }
    return range;
  }

  /** Reads a part by itself; undefined where there was anything to say about it. */
  private readAlone(text: string): Rule | undefined {
    let clean = true;
    const rules = readRule(splitWords(text), 0, {
      family: this.table.family,
      backend: this.table.backend,
      table: this.table.name,
      chain: "",
      origin: this.table.origin,
      counters: undefined,
      report: () => {
        clean = false;
      },
    });
    return clean && rules.length === 1 ? rules[0] : undefined;
  }
}

/** What the general reader would take as one word as it stands. */
const isBareName = (text: string): boolean => !/[\s"]/.test(text);

/** Where the part that starts before `start` ends: at the next -m, -j or -g. */
function endOfPart(line: string, start: number): number {
  for (let end = line.indexOf(" -", start); end >= 0; end = line.indexOf(" -", end + 1)) {
    const letter = line.charCodeAt(end + 2);
    if ((letter === 109 || letter === 106 || letter === 103) && line.charCodeAt(end + 3) === SPACE) return end;
  }
  return line.length;
}

/** Nothing but the protocol stands before the part. */
const isPlain = (rule: Rule, parts: Parts): boolean =>
  rule.source === undefined &&
  rule.destination === undefined &&
  rule.inInterface === undefined &&
  rule.outInterface === undefined &&
  rule.fragment === undefined &&
  rule.counters === undefined &&
  rule.protocol?.value === parts.protocol?.value &&
  rule.protocol?.negated === parts.protocol?.negated;

/** `a.b.c.d/len` without host bits, as iptables-save prints it. */
function parseNetwork4(line: string, start: number, end: number): MaskedAddress | undefined {
  const slash = line.indexOf("/", start);
  const address = slash < 0 || slash >= end ? undefined : parseIpv4(line, start, slash);
  if (address === undefined) return undefined;
  let i = slash;
  let length = 0;
  const first = ++i;
  for (; i < end; i++) {
    const c = line.charCodeAt(i);
    if (c < 48 || c > 57) return undefined;
    length = length * 10 + c - 48;
  }
  if (i === first || i - first > 2 || length > 32 || length === 0 || (i - first === 2 && length < 10)) return undefined;
  const mask = maskOf(length);
  return applyMask(address, mask) === address ? { address, mask } : undefined;
}

/** Any form but a list and the whole Internet. */
function parseNetwork6(text: string): MaskedAddress | undefined {
  const network = parseNetwork(text, 6);
  return network === undefined || lengthOfMask(network.mask) === 0 ? undefined : network;
}
