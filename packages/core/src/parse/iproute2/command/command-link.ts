import { parseMac } from "../../../net/index.ts";
import type { Mutable } from "../lines.ts";
import { numberOf, type WordCursor } from "../words.ts";
import type { IpCommand, LinkChange } from "./command.ts";
import { cursorFrom, refuse, resolve, type Typed } from "./command-cursor.ts";

const onOff = (text: string | undefined): boolean | undefined =>
  text === "on" ? true : text === "off" ? false : undefined;

/** Takes one setting; a text says what is wrong. */
function takeSetting(text: string, cursor: WordCursor, change: Mutable<LinkChange>): string | undefined {
  const bad = `not a value for "${text}"`;
  const key =
    resolve(text, ["up", "down", "mtu", "address", "name", "master", "nomaster", "arp", "promisc", "multicast"]) ??
    text;
  switch (text === "netns" || text === "alias" || text === "group" || text === "txqueuelen" ? text : key) {
    case "up":
    case "down":
      change.up = key === "up";
      return undefined;
    case "mtu":
    case "txqueuelen": {
      const value = numberOf(cursor.take());
      if (value === undefined) return bad;
      change[text === "txqueuelen" ? "txQueueLength" : "mtu"] = value;
      return undefined;
    }
    case "address": {
      const mac = parseMac(cursor.take() ?? "");
      if (mac === undefined) return bad;
      change.mac = mac;
      return undefined;
    }
    case "name":
    case "master":
    case "netns":
    case "alias":
    case "group": {
      const value = cursor.take();
      if (value === undefined) return bad;
      change[(key === "name" || key === "master" ? key : text) as "name" | "master" | "netns" | "alias" | "group"] =
        value;
      return undefined;
    }
    case "nomaster":
      change.master = null;
      return undefined;
    case "arp":
    case "promisc":
    case "multicast": {
      const value = onOff(cursor.take());
      if (value === undefined) return bad;
      change[key as "arp" | "promisc" | "multicast"] = value;
      return undefined;
    }
    case "allmulticast": {
      const value = onOff(cursor.take());
      if (value === undefined) return bad;
      change.allmulticast = value;
      return undefined;
    }
    default:
      return `"${text}" is not known in a link`;
  }
}

/** Reads `ip link set|add|del …`. */
export function readLinkCommand(typed: Typed): IpCommand {
  const verb = resolve(typed.words[typed.first], ["add", "set", "change", "replace", "delete", "show", "list"]);
  if (verb === undefined || verb === "show" || verb === "list") return refuse(typed, "this changes no link");
  const cursor = cursorFrom(typed, 1);
  const change: Mutable<LinkChange> = {};
  let device: string | undefined;
  while (!cursor.done) {
    const text = cursor.take()!;
    if (text === "dev" || (text === "name" && verb === "add")) device = cursor.take();
    else if (text === "link" && verb === "add") change.lower = cursor.take() ?? "";
    else if (text === "type") {
      change.type = cursor.take() ?? "";
      const parameters: string[] = [];
      while (!cursor.done) parameters.push(cursor.take()!);
      change.parameters = parameters;
    } else {
      const wrong = takeSetting(text, cursor, change);
      if (wrong === undefined) continue;
      if (device === undefined && wrong.endsWith("is not known in a link")) device = text;
      else return refuse(typed, wrong, cursor);
    }
  }
  if (device === undefined) return refuse(typed, "no device is named");
  return {
    kind: "link",
    verb: verb === "add" || verb === "delete" ? verb : "set",
    device,
    change,
    origin: typed.origin,
  };
}

/** Reads `bridge link set dev PORT hairpin on …` and `brctl hairpin BRIDGE PORT on`. */
export function readPortCommand(typed: Typed): IpCommand {
  const cursor = cursorFrom(typed);
  const isBrctl = typed.words[0]?.endsWith("brctl") === true;
  if (isBrctl) {
    const [verb, , port, value] = typed.words.slice(typed.first);
    const change =
      verb === "hairpin" && port !== undefined && onOff(value) !== undefined
        ? { type: "bridge_slave", parameters: ["hairpin", value!] }
        : verb === "addif" && port !== undefined
          ? { master: typed.words[typed.first + 1]! }
          : verb === "delif" && port !== undefined
            ? { master: null }
            : undefined;
    if (change === undefined || port === undefined) return refuse(typed, "not a change of a port");
    return { kind: "link", verb: "set", device: port, change, origin: typed.origin };
  }
  if (!cursor.accept("set")) return refuse(typed, "this changes no port");
  const words: string[] = [];
  let device: string | undefined;
  while (!cursor.done) {
    const word = cursor.take()!;
    if (word === "dev") device = cursor.take();
    else if (word !== "self" && word !== "master") words.push(word);
  }
  if (device === undefined || words.length === 0 || words.length % 2 === 1)
    return refuse(typed, "not a change of a port");
  const change = { type: "bridge_slave", parameters: words };
  return { kind: "link", verb: "set", device, change, origin: typed.origin };
}
