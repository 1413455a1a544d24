import { type ReadOrigin, read } from "../../model/index.ts";
import { parseAddress } from "../../net/index.ts";

/** Something that stands for an address the author did not want to show: `<SLB-IP>`, `x.x.x.x`. */
export interface Placeholder {
  readonly name: string;
  /** The one value the text shows for it, and where; absent while it shows none, or more than one. */
  readonly value?: string;
  readonly origins: readonly ReadOrigin[];
}

/** Words in angle brackets that tools print themselves, and tags of web pages. */
const NOT_A_PLACEHOLDER =
  /^<(?:none|pending|unset|unknown|invalid|nil|null|local|brd|link|host|global|site|no value|incomplete|from_interface|wildcard|default|empty|hidden|internal|broadcast|multicast|unicast|redirected|src-direct|cached|UP|DOWN|LOOPBACK|BROADCAST|MULTICAST|NOARP|POINTOPOINT|PROMISC|RUNNING|SLAVE|MASTER|DYNAMIC|BROADCAST|REORDER_HDR|GVRP|MVRP|LOOSE_BINDING|BRIDGE_BINDING|a|b|i|p|br|hr|em|ul|ol|li|td|tr|th|h\d|pre|div|img|code|span|table|tbody|thead|strong|sub|sup|kbd|details|summary|font|center|body|html|head|title|blockquote)>$/i;
const ANGLE = /<[A-Za-z\u4e00-\u9fff][A-Za-z0-9_ \u4e00-\u9fff-]{0,40}>/g;
const CROSSED = /(?<![\w.*])(?:[xX]{1,3}|\*{1,3}|\d{1,3})(?:\.(?:[xX]{1,3}|\*{1,3}|\d{1,3})){3}(?![\w*])/g;

/** Whether a text may hold any: most do not, and need not be looked at line by line. */
export const mayHold = (text: string): boolean => text.includes("<") || ["x", "X", "*"].some((c) => besideDot(text, c));

/** By the letter, which is rarer than the dot; a text that is full of it is searched for both. */
function besideDot(text: string, letter: string): boolean {
  let at = text.indexOf(letter);
  for (let found = 0; at >= 0 && found < 100; found++) {
    if (text.charCodeAt(at + 1) === 46 || text.charCodeAt(at - 1) === 46) return true;
    at = text.indexOf(letter, at + 1);
  }
  return at >= 0 && (text.includes(`${letter}.`, at) || text.includes(`.${letter}`, at - 1));
}

/** The placeholders of one line, in order. */
export function placeholdersIn(line: string): readonly string[] {
  if (!mayHold(line)) return [];
  const text = line.slice(0, 4000);
  const angles = (text.match(ANGLE) ?? []).filter((m) => !NOT_A_PLACEHOLDER.test(m));
  const crossed = (text.match(CROSSED) ?? []).filter((m) => /[xX*]/.test(m));
  return [...angles, ...crossed];
}

const PH = String.raw`(<[A-Za-z\u4e00-\u9fff][A-Za-z0-9_ \u4e00-\u9fff-]{0,40}>)`;
const ADDRESS = String.raw`([0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9a-fA-F]{1,4}:[0-9a-fA-F:.]{2,40})`;
const BETWEEN = String.raw`\s{0,4}(?:=|:|：|is|是|为|即|\(|（|->|→|=>)\s{0,4}`;
const DEFINED = new RegExp(`${PH}${BETWEEN}${ADDRESS}(?![\\d.])`, "g");
const DEFINED_BACKWARDS = new RegExp(`(?<![\\d.])${ADDRESS}${BETWEEN}${PH}`, "g");
/** Only the destination itself sends port unreachable, so the sender is the address the message quotes. */
const UNREACHABLE =
  /\bIP6? (\S{1,60}) > \S{1,60}: ICMP6?,? (?:destination unreachable, )?(?:unreachable port, )?(\S{1,60}) (?:tcp|udp) port \S{1,20} unreachable/;

/** Pairs of placeholder and value that one line shows. */
function shown(line: string): readonly (readonly [string, string])[] {
  const text = line.slice(0, 4000);
  const pairs: [string, string][] = [];
  for (const m of text.matchAll(DEFINED)) pairs.push([m[1]!, m[2]!]);
  for (const m of text.matchAll(DEFINED_BACKWARDS)) pairs.push([m[2]!, m[1]!]);
  const m = UNREACHABLE.exec(text);
  if (m !== null) pairs.push([m[1]!, m[2]!], [m[2]!, m[1]!]);
  return pairs.filter(([name, value]) => placeholdersIn(name).length === 1 && parseAddress(value) !== undefined);
}

/** What a case's placeholders stand for: the table is shared by all its files. */
export class PlaceholderTable {
  readonly #values = new Map<string, Map<string, ReadOrigin[]>>();
  readonly #seen = new Map<string, ReadOrigin>();

  /** Learns from a line of text. */
  learn(file: string, line: number, text: string): void {
    if (!mayHold(text)) return;
    const names = placeholdersIn(text);
    if (names.length === 0) return;
    for (const name of names) if (!this.#seen.has(name)) this.#seen.set(name, read(file, line));
    for (const [name, value] of shown(text)) {
      const values = this.#values.get(name) ?? new Map<string, ReadOrigin[]>();
      values.set(value, [...(values.get(value) ?? []).slice(0, 9), read(file, line)]);
      this.#values.set(name, values);
    }
  }

  get empty(): boolean {
    return this.#seen.size === 0;
  }

  /** `x.x.x.x` may hide another address each time, so only named ones stand for one thing. */
  valueOf(name: string): Placeholder | undefined {
    const values = this.#values.get(name);
    if (values === undefined || values.size !== 1 || !name.startsWith("<")) return undefined;
    const [value, origins] = [...values][0]!;
    return { name, value, origins };
  }

  get all(): readonly Placeholder[] {
    return [...this.#seen].map(([name, origin]) => this.valueOf(name) ?? { name, origins: [origin] });
  }

  /** The line with every known placeholder filled in, and which ones were. */
  fill(line: string): {
    readonly text: string;
    readonly filled: readonly Placeholder[];
    readonly open: readonly string[];
  } {
    const filled: Placeholder[] = [];
    const open: string[] = [];
    let text = line;
    for (const name of new Set(placeholdersIn(line))) {
      const known = this.valueOf(name);
      if (known?.value === undefined) open.push(name);
      else {
        filled.push(known);
        text = text.replaceAll(name, known.value);
      }
    }
    return { text, filled, open };
  }

  /** The line as it is to be recognised: whatever a placeholder stands for, it is shaped like an address. */
  shape(line: string): string {
    let text = line;
    for (const name of new Set(placeholdersIn(line)))
      text = text.replaceAll(name, this.valueOf(name)?.value ?? "192.0.2.1");
    return text;
  }
}
