import type { Dialect } from "../dialect.ts";
import { invocationOf, isShow } from "../iproute2/invocation.ts";
import { readIpJson } from "../iproute2/json-dialect.ts";
import { readBrctlMacs, readBrctlShow } from "./brctl.ts";
import { claimBrctlMacs, claimBrctlShow, claimBridgeLink, claimFdb, claimHairpin, claimVlan } from "./claim.ts";
import { readFdb } from "./fdb.ts";
import { readHairpin } from "./hairpin.ts";
import { readBridgeLink } from "./link.ts";
import { readVlans } from "./vlan.ts";

const shows =
  (object: string) =>
  (words: readonly string[]): boolean => {
    const bridge = invocationOf(words);
    return bridge?.tool === "bridge" && bridge.object === object && !bridge.json && isShow(bridge.rest);
  };

const isBrctl = (words: readonly string[]): boolean => /(^|\/)brctl$/.test(words[0] ?? "");

/** Forms of bridge(8), brctl(8) and the hairpin_mode files. */
export const dialects: readonly Dialect[] = [
  { id: "bridge-link", title: "bridge link", printedBy: shows("link"), claim: claimBridgeLink, read: readBridgeLink },
  { id: "bridge-fdb", title: "bridge fdb", printedBy: shows("fdb"), claim: claimFdb, read: readFdb },
  {
    id: "bridge-vlan",
    title: "bridge vlan",
    printedBy: (words) => {
      const bridge = invocationOf(words);
      const verb = bridge?.rest[0] ?? "";
      return (
        shows("vlan")(words) ||
        (bridge?.object === "vlan" && !bridge.json && verb !== "" && "tunnelshow".startsWith(verb))
      );
    },
    claim: claimVlan,
    read: readVlans,
  },
  {
    id: "bridge-json",
    title: "bridge -json",
    printedBy: (words) => {
      const bridge = invocationOf(words);
      return bridge?.tool === "bridge" && bridge.json && isShow(bridge.rest);
    },
    // By content alone the JSON of bridge(8) is told from that of ip(8) by its keys: the reader of ip -json does it.
    claim: () => "no",
    read: readIpJson,
  },
  {
    id: "brctl-show",
    title: "brctl show",
    printedBy: (words) => isBrctl(words) && words[1] === "show",
    claim: claimBrctlShow,
    read: readBrctlShow,
  },
  {
    id: "brctl-showmacs",
    title: "brctl showmacs",
    printedBy: (words) => isBrctl(words) && words[1] === "showmacs",
    claim: claimBrctlMacs,
    read: readBrctlMacs,
  },
  {
    id: "hairpin-mode",
    title: "hairpin_mode files",
    printedBy: (words) => words.some((w) => w.includes("/hairpin_mode")),
    claim: claimHairpin,
    read: readHairpin,
  },
];
