import type { Device, DeviceAddress } from "../../model/index.ts";
import { isIpv4 } from "../../net/index.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { isEllipsis } from "../ellipsis.ts";
import { type AddressDraft, deviceOfLabel } from "../iproute2/device/address-words.ts";
import { type DeviceEntry, finishDevices } from "../iproute2/device/device-finish.ts";
import { emptyDevice, setFlags } from "../iproute2/device/device-header.ts";
import {
  Complaints,
  isBlank,
  isPartial,
  type LogicalLine,
  logicalLines,
  originOf,
  wordsIn,
} from "../iproute2/lines.ts";
import type { Source } from "../source.ts";
import { inet4, inet6 } from "./ifconfig-address.ts";

const KINDS: readonly (readonly [RegExp, Device["kind"], string])[] = [
  [/Local Loopback/, "loopback", "loopback"],
  [/IPIP Tunnel/, "ipip", "ipip"],
  [/IPv6-in-IPv4/, "sit", "sit"],
  [/Ethernet/, "unknown", "ether"],
];

const COUNTER =
  /^(RX|TX) (packets|errors|bytes)\b|^(RX|TX) bytes:|^collisions:|^Interrupt:|^device (interrupt|memory)|^Base address:|^Memory:|^Media:|^EtherTalk|^IPX\/|^Scope:|^status:|^options=/;

class IfconfigReader {
  readonly entries: DeviceEntry[] = [];
  readonly #byName = new Map<string, DeviceEntry>();
  readonly #source: Source;
  readonly #complaints: Complaints;
  #current: DeviceEntry | undefined;
  #label = "";
  constructor(source: Source, complaints: Complaints) {
    this.#source = source;
    this.#complaints = complaints;
  }

  /** `eth0:1` is another address of eth0, not a device. */
  #open(label: string, line: LogicalLine): DeviceEntry {
    const name = deviceOfLabel(label);
    this.#label = label;
    let entry = this.#byName.get(name);
    if (entry === undefined) {
      entry = { draft: emptyDevice(name), addresses: [], addressesKnown: false, origin: originOf(this.#source, line) };
      this.#byName.set(name, entry);
      this.entries.push(entry);
    }
    this.#current = entry;
    return entry;
  }

  #kind(text: string): void {
    const draft = this.#current?.draft;
    const found = KINDS.find(([pattern]) => pattern.test(text));
    if (draft === undefined || found === undefined) return;
    if (draft.kind === "unknown") draft.kind = found[1];
    draft.linkType = found[2];
  }

  #header(text: string, line: LogicalLine): boolean {
    const modern = /^(\S{1,64}): flags=[0-9a-fx]{1,10}<([^<>]{0,400})>\s+(?:metric \d+\s+)?mtu (\d{1,10})/.exec(text);
    if (modern !== null) {
      const { draft } = this.#open(modern[1]!, line);
      setFlags(draft, flagsOf(modern[2]!.split(",")));
      runningIsCarrier(draft);
      draft.mtu = Number(modern[3]);
      return true;
    }
    const old = /^(\S{1,64})\s+Link encap:(.{1,200})$/.exec(text);
    if (old === null) return false;
    const { draft } = this.#open(old[1]!, line);
    this.#kind(old[2]!);
    const mac = /HWaddr ([0-9a-fA-F:]{17})(\s|$)/.exec(old[2]!);
    if (mac !== null) draft.mac = mac[1]!.toLowerCase();
    return true;
  }

  #address(address: AddressDraft | undefined, line: LogicalLine): void {
    if (address === undefined || this.#current === undefined) {
      this.#complaints.notUnderstood(line, "an address that is none, or of no device");
      return;
    }
    if (isIpv4(address.prefix.address)) address.label = this.#label;
    const finished: DeviceAddress = { ...address, origin: originOf(this.#source, line) };
    this.#current.addresses.push(finished);
  }

  line(line: LogicalLine): void {
    const text = line.text.trim();
    if (!/^\s/.test(line.text) && this.#header(text, line)) return;
    const words = wordsIn(line).map((w) => w.text);
    const draft = this.#current?.draft;
    if (words[0] === "inet") this.#address(inet4(text), line);
    else if (words[0] === "inet6") this.#address(inet6(text), line);
    else if (draft === undefined) this.#complaints.notUnderstood(line, "a line of no device");
    else if (words[0] === "ether") {
      draft.mac = (words[1] ?? "").toLowerCase();
      draft.linkType = "ether";
    } else if (/^(loop|unspec|tunnel|sit|infiniband|ppp|gre)$/.test(words[0]!)) this.#kind(text);
    else if (COUNTER.test(text)) return;
    else {
      const old = /^((?:[A-Z][A-Z0-9-]{1,15}\s+){0,16})MTU:(\d{1,10})/.exec(text);
      if (old === null) {
        this.#complaints.notUnderstood(line, "not a line of `ifconfig`");
        return;
      }
      setFlags(draft, flagsOf(old[1]!.split(/\s+/)));
      runningIsCarrier(draft);
      draft.mtu = Number(old[2]);
    }
  }
}

const flagsOf = (words: readonly string[]): string[] => words.filter((f) => f !== "" && f !== "[NO" && f !== "FLAGS]");

/** ifconfig has no LOWER_UP: RUNNING is what it says about the link. */
function runningIsCarrier(draft: DeviceEntry["draft"]): void {
  delete draft.carrier;
  if (draft.up) draft.carrier = draft.flags?.includes("RUNNING") ?? false;
}

/**
 * Reads ifconfig of net-tools 1.60 and busybox (`Link encap:`) and of 2.x (`flags=4163<…>`). It shows one IPv4 address
 * for each label only, so what it lists is never all: `addressesKnown` stays false.
 */
export function readIfconfig(source: Source, context: DumpContext): Reading {
  const complaints = new Complaints(source, "ifconfig");
  const reader = new IfconfigReader(source, complaints);
  let cut = isPartial(context);
  for (const line of logicalLines(source)) {
    if (isBlank(line.text) || /: error fetching interface information: /.test(line.text.slice(0, 200))) continue;
    if (isEllipsis(line.text)) cut = true;
    else reader.line(line);
  }
  const devices = finishDevices(reader.entries);
  // Without -a devices that are down are not listed.
  const all = context.command?.length === 2 && context.command[1] === "-a";
  const addresses = devices.reduce((n, d) => n + d.addresses.length, 0);
  return {
    facts:
      devices.length === 0
        ? []
        : [{ kind: "devices", devices, shows: ["link", "ipv4", "ipv6"], extent: all && !cut ? "whole" : "partial" }],
    diagnostics: complaints.list,
    counts: { devices: devices.length, addresses },
  };
}
