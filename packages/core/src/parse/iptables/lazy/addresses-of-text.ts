import type { NetworksOfText } from "../../../model/index.ts";
import { formatAddress, type Ipv4, parseIpv4, uint32Of } from "../../../net/index.ts";
import { LinesByAddress } from "./lines-by-address.ts";
import type { Range, ScannedTable } from "./scanned-table.ts";

/** So many blocks of addresses are searched for in the text, each by a pass over it; whoever asks for more has them all listed. */
const SEARCHES = 12;
const NONE: readonly number[] = [];

/** In which lines of a table's text an address stands. */
export class AddressesOfText {
  private readonly scanned: ScannedTable;
  /** By their first three numbers: endpoints of a Service are often neighbours, and one pass finds them all. */
  private readonly searched = new Map<number, ReadonlyMap<number, number | readonly number[]>>();
  private listed: Listed | undefined = undefined;
  /** The same of some chains alone. */
  private readonly within = new Map<string, ReadonlyMap<number, number | readonly number[]>>();

  constructor(scanned: ScannedTable) {
    this.scanned = scanned;
  }

  /** Where they begin, ascending; of some chains, where `chains` names them. */
  linesOf(address: Ipv4, chains?: readonly string[]): readonly number[] {
    const number = uint32Of(address);
    const block = number >>> 8;
    if (chains !== undefined) return this.linesWithin(address, chains);
    if (this.listed !== undefined) return this.lookUp(address);
    let beside = this.searched.get(block);
    if (beside === undefined) {
      if (this.searched.size >= SEARCHES) return this.lookUp(address);
      beside = this.search(address, this.scanned.ranges(undefined));
      this.searched.set(block, beside);
    }
    return listOf(beside.get(number));
  }

  has(address: Ipv4): boolean {
    return this.listed === undefined ? this.linesOf(address).length > 0 : this.listed.lines.has(uint32Of(address));
  }

  private linesWithin(address: Ipv4, chains: readonly string[]): readonly number[] {
    const number = uint32Of(address);
    const block = number >>> 8;
    const ranges = this.scanned.ranges(chains);
    if (this.listed === undefined && !this.searched.has(block)) {
      const asked = `${block} ${chains.join(" ")}`;
      let beside = this.within.get(asked);
      if (beside === undefined && this.within.size < SEARCHES) {
        beside = this.search(address, ranges);
        this.within.set(asked, beside);
      }
      if (beside !== undefined) return listOf(beside.get(number));
    }
    return this.linesOf(address).filter((begin) => ranges.some((r) => begin >= r.from && begin < r.end));
  }

  /** The lines of all that begin like it but for their last number. */
  private search(address: Ipv4, ranges: readonly Range[]): ReadonlyMap<number, number | readonly number[]> {
    const found = new Map<number, number | number[]>();
    const shown = formatAddress(address);
    const prefix = shown.slice(0, shown.lastIndexOf(".") + 1);
    for (const { from, end } of ranges) {
      const text = this.scanned.text.slice(from, end);
      let begin = 0;
      let stop = -1;
      for (let at = text.indexOf(prefix); at >= 0; ) {
        if (at > stop) {
          begin = text.lastIndexOf("\n", at) + 1;
          stop = text.indexOf("\n", at);
          if (stop < 0) stop = text.length;
        }
        let to = at + prefix.length;
        while (isPart(text.charCodeAt(to))) to++;
        // Not only as the tail or the head of another: 10.0.0.1 in 110.0.0.1 or in 10.0.0.12.
        const one = isPart(text.charCodeAt(at - 1)) ? undefined : parseIpv4(text, at, to);
        if (one !== undefined) note(found, uint32Of(one), from + begin);
        at = text.indexOf(prefix, to);
      }
    }
    return found;
  }

  private lookUp(address: Ipv4): readonly number[] {
    return this.all().lines.of(uint32Of(address));
  }

  /** What else their lines speak of. */
  networks(): NetworksOfText {
    return this.all();
  }

  private all(): Listed {
    this.listed ??= listAll(this.scanned);
    return this.listed;
  }
}

const listOf = (found: number | readonly number[] | undefined): readonly number[] =>
  found === undefined ? NONE : typeof found === "number" ? [found] : found;

const isDigit = (c: number): boolean => c >= 48 && c <= 57;
const isPart = (c: number): boolean => isDigit(c) || c === 46;

interface Listed extends NetworksOfText {
  /** In which lines each stands. */
  readonly lines: LinesByAddress;
}

/** Every address of every line: a run of digits and dots that is one; and what stands behind it. */
function listAll({ text, start, end }: Pick<ScannedTable, "text" | "start" | "end">): Listed {
  const lines = new LinesByAddress();
  const networks = new Map<string, readonly [number, number]>();
  let irregular = false;
  let begin = start;
  while (begin < end) {
    let stop = text.indexOf("\n", begin);
    if (stop < 0) stop = end;
    for (let dot = text.indexOf(".", begin); dot >= 0 && dot < stop; ) {
      let from = dot;
      while (isPart(text.charCodeAt(from - 1))) from--;
      let to = dot + 1;
      while (isPart(text.charCodeAt(to))) to++;
      const address = to - from < 7 ? undefined : parseIpv4(text, from, to);
      if (address !== undefined) {
        lines.note(uint32Of(address), begin);
        const behind = text.charCodeAt(to);
        if (behind === SLASH && !isOneHost(text, to)) {
          const length = /^\/(\d{1,2})(?![\d.])/.exec(text.slice(to, to + 4))?.[1];
          if (length === undefined || Number(length) > 32) irregular = true;
          else networks.set(text.slice(from, to + 3), spanOf(uint32Of(address), Number(length)));
        } else if (behind === DASH && isDigit(text.charCodeAt(to + 1))) irregular = true;
      }
      dot = text.indexOf(".", to);
    }
    begin = stop + 1;
  }
  return {
    lines,
    networks: [...networks.values()],
    irregular,
    get addresses() {
      return lines.addresses;
    },
  };
}

/** The networks that lines of rules speak of. */
export const networksOfText = (text: string): readonly (readonly [number, number])[] =>
  listAll({ text, start: 0, end: text.length }).networks;

const SLASH = 47;
const DASH = 45;

const isOneHost = (text: string, slash: number): boolean =>
  text.charCodeAt(slash + 1) === 51 && text.charCodeAt(slash + 2) === 50 && !isPart(text.charCodeAt(slash + 3));

function spanOf(address: number, length: number): readonly [number, number] {
  const size = 2 ** (32 - length);
  const first = Math.floor(address / size) * size;
  return [first, first + size - 1];
}

function note(listed: Map<number, number | number[]>, address: number, begin: number): void {
  const known = listed.get(address);
  if (known === undefined) listed.set(address, begin);
  else if (typeof known === "number") {
    if (known !== begin) listed.set(address, [known, begin]);
  } else if (known[known.length - 1] !== begin) known.push(begin);
}
