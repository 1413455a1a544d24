import type { Family } from "../../net/index.ts";

/** The objects of ip(8) in the order do_cmd() tries them: the first one that the word is a prefix of wins. */
const OBJECTS = [
  "address",
  "addrlabel",
  "maddress",
  "route",
  "rule",
  "neighbor",
  "neighbour",
  "ntable",
  "ntbl",
  "link",
  "l2tp",
  "fou",
  "ila",
  "macsec",
  "tunnel",
  "tunl",
  "tuntap",
  "tap",
  "token",
  "tcpmetrics",
  "tcp_metrics",
  "monitor",
  "xfrm",
  "mroute",
  "mrule",
  "netns",
  "netconf",
  "vrf",
  "sr",
  "nexthop",
  "mptcp",
  "ioam",
  "help",
  "stats",
] as const;

/** `ip` or `bridge` as typed: its global options, the object, and what follows it. */
export interface Invocation {
  readonly tool: "ip" | "bridge";
  readonly object: string;
  readonly family?: Family;
  readonly json: boolean;
  readonly oneline: boolean;
  readonly details: boolean;
  readonly brief: boolean;
  readonly numeric: boolean;
  readonly statistics: boolean;
  /** Words after the object. */
  readonly rest: readonly string[];
}

/** Options of ip(8) that take a value; the rest are flags. Matched as prefixes like the tool does. */
const isPrefix = (word: string, whole: string, least = 2): boolean => word.length >= least && whole.startsWith(word);

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Reads a command line `ip …` or `bridge …`; undefined if it is another command or names no object. */
export function invocationOf(words: readonly string[]): Invocation | undefined {
  const tool = baseName(words[0] ?? "");
  if (tool !== "ip" && tool !== "bridge") return undefined;
  let family: Family | undefined;
  let json = false;
  let oneline = false;
  let details = false;
  let brief = false;
  let numeric = false;
  let statistics = false;
  let i = 1;
  for (; i < words.length; i++) {
    let option = words[i]!;
    if (!option.startsWith("-") || option === "-") break;
    if (option.startsWith("--")) option = option.slice(1);
    if (option === "-") {
      i++;
      break;
    }
    if (option === "-4") family = 4;
    else if (option === "-6") family = 6;
    else if (isPrefix(option, "-family")) {
      const value = words[++i];
      family = value === "inet6" ? 6 : value === "inet" ? 4 : undefined;
    } else if (isPrefix(option, "-statistics") || isPrefix(option, "-stats")) statistics = true;
    else if (isPrefix(option, "-details")) details = true;
    else if (isPrefix(option, "-oneline")) oneline = true;
    else if (isPrefix(option, "-json")) json = true;
    else if (isPrefix(option, "-brief", 3)) brief = true;
    else if (isPrefix(option, "-Numeric")) numeric = true;
    else if (
      isPrefix(option, "-netns") ||
      isPrefix(option, "-batch") ||
      isPrefix(option, "-rcvbuf", 3) ||
      isPrefix(option, "-loops")
    )
      i++;
  }
  const word = words[i];
  if (word === undefined || word === "") return undefined;
  const objects: readonly string[] = tool === "ip" ? OBJECTS : ["link", "fdb", "mdb", "mst", "vlan", "vni", "monitor"];
  let object = objects.find((o) => o.startsWith(word));
  if (object === "neighbour") object = "neighbor";
  if (object === undefined) return undefined;
  return {
    tool,
    object,
    ...(family === undefined ? {} : { family }),
    json,
    oneline,
    details,
    brief,
    numeric,
    statistics,
    rest: words.slice(i + 1),
  };
}

/** The verb of an object that only shows: absent, show, list, ls, lst and their prefixes. */
export function isShow(rest: readonly string[]): boolean {
  const verb = rest[0];
  return (
    verb === undefined || verb === "lst" || (verb !== "" && ["show", "list", "ls"].some((v) => v.startsWith(verb)))
  );
}
