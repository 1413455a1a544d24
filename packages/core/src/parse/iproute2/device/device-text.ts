import { isIpv4 } from "../../../net/index.ts";
import type { DumpContext, Reading } from "../../dialect.ts";
import { isEllipsis } from "../../ellipsis.ts";
import type { Source } from "../../source.ts";
import {
  Complaints,
  isBlank,
  isPartial,
  isToolMessage,
  type LogicalLine,
  logicalLines,
  type Mutable,
  originOf,
  wordsIn,
} from "../lines.ts";
import { type Word, WordCursor } from "../words.ts";
import {
  type AddressDraft,
  deviceOfLabel,
  finishAddress,
  takeAddress,
  takeAddressWords,
  takeLifetimes,
} from "./address-words.ts";
import { readBrief } from "./device-brief.ts";
import type { DeviceEntry } from "./device-finish.ts";
import { emptyDevice, takeHeader, takeHeaderWords, takeLinkWords } from "./device-header.ts";
import { deviceFacts, deviceFilter } from "./device-listing.ts";
import { applyKind, isKindName, parametersOfWords, portOf } from "./link-kind.ts";

type OpenAddress = { readonly entry: DeviceEntry; readonly draft: AddressDraft; readonly line: LogicalLine };

/** State of the walk over the lines of `ip addr` and `ip link`. */
class DeviceReader {
  readonly entries: DeviceEntry[] = [];
  readonly #byName = new Map<string, DeviceEntry>();
  readonly #source: Source;
  readonly complaints: Complaints;
  #current: DeviceEntry | undefined;
  #address: OpenAddress | undefined;
  /** The next line holds the numbers under `RX:` or `TX:`. */
  #statistics = false;
  brief = false;

  constructor(source: Source, complaints: Complaints) {
    this.#source = source;
    this.complaints = complaints;
  }

  open(name: string, line: LogicalLine, entry?: DeviceEntry): DeviceEntry {
    const known = this.#byName.get(name);
    if (known !== undefined && entry === undefined) return known;
    const opened = entry ?? {
      draft: emptyDevice(name),
      addresses: [],
      addressesKnown: false,
      origin: originOf(this.#source, line),
    };
    this.#byName.set(name, opened);
    this.entries.push(opened);
    return opened;
  }

  closeAddress(): void {
    if (this.#address === undefined) return;
    const { entry, draft, line } = this.#address;
    entry.addresses.push(finishAddress(draft, originOf(this.#source, line)));
    this.#address = undefined;
  }

  #unknown =
    (line: LogicalLine, what: string) =>
    (word: string, column: number): void =>
      this.complaints.at(line, column, word.length, "unknown-word", `"${word}" is not known in ${what}`, "warning");

  #header(line: LogicalLine, cursor: WordCursor): boolean {
    const draft = takeHeader(cursor);
    if (draft === undefined) return false;
    takeHeaderWords(cursor, draft, (w: Word) => this.#unknown(line, "the first line of a device")(w.text, w.column));
    const known = this.#byName.get(draft.name);
    this.#current = { draft, addresses: [], addressesKnown: false, origin: originOf(this.#source, line) };
    if (known === undefined || known.draft.index !== draft.index) this.open(draft.name, line, this.#current);
    else this.#current = known;
    return true;
  }

  /** `2: eth0    inet 10.0.0.1/24 …` of `ip -o addr`. */
  #oneLineAddress(line: LogicalLine, cursor: WordCursor): boolean {
    const index = /^(\d{1,10}):$/.exec(cursor.peek() ?? "");
    const family = cursor.peek(2);
    if (index === null || (family !== "inet" && family !== "inet6")) return false;
    cursor.take();
    const entry = this.open(cursor.take()!, line);
    entry.draft.index = Number(index[1]);
    this.#current = entry;
    return this.#inet(line, cursor);
  }

  #inet(line: LogicalLine, cursor: WordCursor): boolean {
    const family = cursor.take();
    const draft = takeAddress(cursor);
    if (draft === undefined || isIpv4(draft.prefix.address) !== (family === "inet")) {
      this.complaints.at(line, cursor.column, cursor.length, "bad-address", "not an address of this family", "warning");
      return true;
    }
    takeAddressWords(cursor, draft, this.#unknown(line, "an address"));
    let entry = this.#current;
    // Lines cut out by grep have lost their header; an IPv4 address names its device as label.
    if (entry === undefined && draft.label !== undefined) entry = this.open(deviceOfLabel(draft.label), line);
    if (entry === undefined) {
      this.complaints.at(line, line.column, line.text.length, "no-device", "an address of a device that is not named");
      return true;
    }
    this.#address = { entry, draft, line };
    return true;
  }

  #detail(line: LogicalLine, cursor: WordCursor): boolean {
    const draft = this.#current?.draft;
    const key = cursor.peek()!;
    if (draft === undefined) return false;
    if (key.startsWith("link/")) {
      takeLinkWords(cursor, draft);
      return true;
    }
    const words = cursor.words.map((w) => w.text);
    if (key === "altname") draft.altnames.push(words[1] ?? "");
    else if (key === "alias") draft.alias = line.text.trim().slice("alias ".length);
    else if (key.startsWith("prog/xdp")) draft.programs.push({ hook: "xdp", name: words.join(" ") });
    else if (key === "vf" && /^\d+$/.test(words[1] ?? "")) return true;
    else if (/^(RX|TX):?$/.test(key)) this.#statistics = true;
    else if (key.endsWith("_slave")) this.#slave(draft, key, words, line);
    else if (isKindName(key) || this.#afterDetails(key, words)) {
      applyKind(draft, key, parametersOfWords(words.slice(1)));
      const ports = words.indexOf("srcport");
      if (draft.tunnel !== undefined && ports > 0)
        (draft.tunnel as Mutable<typeof draft.tunnel>).sourcePorts = {
          from: Number(words[ports + 1]) || 0,
          to: Number(words[ports + 2]) || 0,
        };
    } else if (key === "ingress-qos-map" || key === "egress-qos-map") return true;
    else return false;
    return true;
  }

  #slave(draft: DeviceEntry["draft"], key: string, words: readonly string[], line: LogicalLine): void {
    if (key !== "bridge_slave") return;
    const port = portOf(parametersOfWords(words.slice(1)));
    const hairpinOrigin = port.hairpin === undefined ? undefined : originOf(this.#source, line);
    draft.port = hairpinOrigin === undefined ? port : { ...port, hairpinOrigin };
  }

  /** A kind nobody knows yet: only `ip -d` prints such a line, and it ends with these words. */
  #afterDetails(key: string, words: readonly string[]): boolean {
    return /^[a-z][a-z0-9_]{1,15}$/.test(key) && (words.includes("addrgenmode") || words.includes("numtxqueues"));
  }

  line(line: LogicalLine): void {
    const cursor = new WordCursor(wordsIn(line));
    const key = cursor.peek()!;
    if (this.#statistics) {
      this.#statistics = false;
      if (/^\d/.test(key)) return;
    }
    if (key === "valid_lft" && this.#address !== undefined) {
      takeLifetimes(cursor, this.#address.draft);
      return;
    }
    this.closeAddress();
    if (key === "Deleted") cursor.take();
    if (this.#header(line, cursor) || this.#oneLineAddress(line, cursor)) return;
    if (key === "valid_lft") return;
    if (key === "inet" || key === "inet6") {
      this.#inet(line, cursor);
      return;
    }
    if (this.#detail(line, cursor)) return;
    const brief = readBrief(cursor);
    if (brief === undefined) {
      this.complaints.notUnderstood(line, "not a line of `ip addr` or `ip link`");
      // It may have been the first line of another device: what follows is not the last one's.
      if (!/^\s/.test(line.text)) this.#current = undefined;
      else if (this.#current !== undefined) this.#current.damaged = true;
      return;
    }
    this.brief = true;
    const entry = this.open(brief.draft.name, line);
    Object.assign(entry.draft, brief.draft);
    for (const address of brief.addresses) entry.addresses.push(finishAddress(address, originOf(this.#source, line)));
    this.#current = undefined;
  }
}

/** Reads `ip addr` and `ip link` in all text forms: plain, -o, -d, -s, -br. */
export function readDevices(dialect: "ip-addr" | "ip-link") {
  return (source: Source, context: DumpContext): Reading => {
    const complaints = new Complaints(source, dialect);
    const reader = new DeviceReader(source, complaints);
    let cut = isPartial(context);
    for (const line of logicalLines(source)) {
      if (isBlank(line.text) || isToolMessage(line.text)) continue;
      if (isEllipsis(line.text)) {
        cut = true;
        continue;
      }
      reader.line(line);
    }
    reader.closeAddress();
    const filter = deviceFilter(context, dialect);
    return deviceFacts(reader.entries, filter, cut, complaints.list, reader);
  };
}
