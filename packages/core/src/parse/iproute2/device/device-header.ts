import type { Device, DeviceProgram, PeerRef } from "../../../model/index.ts";
import type { Mutable } from "../lines.ts";
import { numberOf, type Word, type WordCursor } from "../words.ts";

/** A device while it is read. */
export interface DeviceDraft
  extends Omit<Mutable<Device>, "addresses" | "addressesKnown" | "origin" | "programs" | "altnames"> {
  programs: DeviceProgram[];
  altnames: string[];
  /** What stands after `@`: `if29`, a name, `NONE`. */
  link?: string;
  netnsid?: number;
  netnsName?: string;
  /** Tunnels show their ends where others show their MAC. */
  tunnelEnds?: { local: string; remote?: string };
}

export const emptyDevice = (name: string): DeviceDraft => ({ name, kind: "unknown", programs: [], altnames: [] });

/** Splits `eth0@if29`; the last @ counts, since names may hold one. */
export function splitName(text: string): { name: string; link?: string } {
  const at = text.lastIndexOf("@");
  return at <= 0 ? { name: text } : { name: text.slice(0, at), link: text.slice(at + 1) };
}

export function setFlags(device: DeviceDraft, flags: readonly string[]): void {
  device.flags = flags;
  device.up = flags.includes("UP");
  if (flags.includes("LOWER_UP")) device.carrier = true;
  // dev_get_flags() reports the carrier of running devices only.
  else if (device.up) device.carrier = false;
  if (flags.includes("LOOPBACK")) device.kind = "loopback";
}

/** `2: eth0@if3: <UP,…>`: takes the three words that open a device; undefined if they are not there. */
export function takeHeader(cursor: WordCursor): DeviceDraft | undefined {
  const index = /^(\d{1,10}):$/.exec(cursor.peek() ?? "");
  const name = cursor.peek(1);
  if (index === null || name === undefined || !name.endsWith(":") || name.length < 2) return undefined;
  const flags = /^<([^<>]*)>$/.exec(cursor.peek(2) ?? "");
  if (flags === null) return undefined;
  cursor.take();
  cursor.take();
  cursor.take();
  const { name: own, link } = splitName(name.slice(0, -1));
  const device = emptyDevice(own);
  device.index = Number(index[1]);
  if (link !== undefined) device.link = link;
  setFlags(
    device,
    flags[1]!.split(",").filter((f) => f !== ""),
  );
  return device;
}

/** What follows the flags in the first line of a device. */
export function takeHeaderWords(cursor: WordCursor, device: DeviceDraft, unknown: (word: Word) => void): void {
  while (!cursor.done) {
    const word = cursor.words[cursor.position]!;
    const key = cursor.take()!;
    if (key.startsWith("xdp")) {
      device.programs.push({ hook: "xdp", name: key });
      continue;
    }
    switch (key) {
      case "mtu": {
        const mtu = numberOf(cursor.take());
        if (mtu === undefined) unknown(word);
        else device.mtu = mtu;
        break;
      }
      case "qdisc":
        device.qdisc = cursor.take() ?? "";
        break;
      case "master":
        device.master = cursor.take() ?? "";
        break;
      case "state":
        device.operState = cursor.take() ?? "";
        break;
      case "group":
        device.group = cursor.take() ?? "";
        break;
      case "mode":
      case "qlen":
      case "event":
      case "vrf":
        cursor.take();
        break;
      case "qlenunknown":
        break;
      default:
        unknown(word);
    }
  }
}

/** Words of the `link/…` line and of the details that go on with it. Unknown ones belong to drivers and are skipped. */
export function takeLinkWords(cursor: WordCursor, device: DeviceDraft): void {
  const first = cursor.take()!;
  device.linkType = first.slice("link/".length);
  const mac = cursor.peek();
  if (mac !== undefined && /^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){1,31}$/.test(mac)) {
    cursor.take();
    if (device.linkType === "ether" || device.linkType === "loopback") device.mac = mac.toLowerCase();
  } else if (mac !== undefined && /^[0-9a-fA-F.:]{3,45}$/.test(mac) && !/^(brd|peer)$/.test(mac)) {
    // Tunnels print their local address here: `link/ipip 10.0.0.1 peer 10.0.0.2`.
    device.tunnelEnds = { local: mac };
    cursor.take();
  }
  while (!cursor.done) {
    const key = cursor.take()!;
    // `ip -d` prints these after the kind: on this line, there is none, which only drivers of real cards do.
    if (key === "numtxqueues" && device.linkType === "ether" && device.kind === "unknown") device.kind = "ethernet";
    if (key === "link-netnsid") {
      const id = numberOf(cursor.take());
      if (id !== undefined) device.netnsid = id;
    } else if (key === "link-netns") device.netnsName = cursor.take() ?? "";
    else if (key === "peer" && device.tunnelEnds !== undefined) {
      const remote = cursor.take();
      if (remote !== undefined) device.tunnelEnds = { ...device.tunnelEnds, remote };
    }
  }
}

/** How the far end is named from here. */
export function peerRef(device: DeviceDraft): PeerRef | undefined {
  const { link, netnsid, netnsName } = device;
  if (link === undefined || link === "NONE") return undefined;
  const index = /^if(\d{1,10})$/.exec(link);
  return {
    ...(index === null ? { name: link } : { index: Number(index[1]) }),
    ...(netnsid === undefined ? {} : { netnsid }),
    ...(netnsName === undefined ? {} : { netnsName }),
  };
}
