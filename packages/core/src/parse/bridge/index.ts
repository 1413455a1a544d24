import type { Dialect, Reading } from "../dialect.ts";
import { invocationOf, isShow } from "../iproute2/invocation.ts";
import { claimBrctlMacs, claimBrctlShow, claimBridgeLink, claimFdb, claimHairpin, claimVlan } from "./claim.ts";

const nothing = (): Reading => ({ facts: [], diagnostics: [], counts: {} });

const shows =
  (object: string) =>
  (words: readonly string[]): boolean => {
    const bridge = invocationOf(words);
    return bridge?.tool === "bridge" && bridge.object === object && !bridge.json && isShow(bridge.rest);
  };

const isBrctl = (words: readonly string[]): boolean => /(^|\/)brctl$/.test(words[0] ?? "");

/** Forms of bridge(8), brctl(8) and the hairpin_mode files. */
export const dialects: readonly Dialect[] = [
  { id: "bridge-link", title: "bridge link", printedBy: shows("link"), claim: claimBridgeLink, read: nothing },
  { id: "bridge-fdb", title: "bridge fdb", printedBy: shows("fdb"), claim: claimFdb, read: nothing },
  { id: "bridge-vlan", title: "bridge vlan", printedBy: shows("vlan"), claim: claimVlan, read: nothing },
  {
    id: "bridge-json",
    title: "bridge -json",
    printedBy: (words) => {
      const bridge = invocationOf(words);
      return bridge?.tool === "bridge" && bridge.json && isShow(bridge.rest);
    },
    // By content alone the JSON of bridge(8) is told from that of ip(8) by its keys: the reader of ip -json does it.
    claim: () => "no",
    read: nothing,
  },
  {
    id: "brctl-show",
    title: "brctl show",
    printedBy: (words) => isBrctl(words) && words[1] === "show",
    claim: claimBrctlShow,
    read: nothing,
  },
  {
    id: "brctl-showmacs",
    title: "brctl showmacs",
    printedBy: (words) => isBrctl(words) && words[1] === "showmacs",
    claim: claimBrctlMacs,
    read: nothing,
  },
  {
    id: "hairpin-mode",
    title: "hairpin_mode files",
    printedBy: (words) => words.some((w) => w.includes("/hairpin_mode")),
    claim: claimHairpin,
    read: nothing,
  },
];
