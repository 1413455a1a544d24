import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const CORE = join(import.meta.dirname, "../../packages/core/src");

/** What readers fill of the kernel's own state. */
const MODEL = ["device", "route", "socket", "conntrack", "ipset", "ipvs", "netfilter", "nft"];

/** Fields of them that no walk looks at, by why not. */
const NOT_WALKED: Readonly<Record<string, string>> = {
  // Devices
  validLifetime: "an address that is shown is valid now",
  preferredLifetime: "`deprecated` says what came of it",
  netnsid: "pairs of veth are found by indexes and links",
  netnsName: "as netnsid",
  hairpinOrigin: "says which line to quote",
  kindOrigin: "says which line to quote",
  stp: "`state` of a port says what came of it",
  pathCost: "as stp",
  proxyArp: "answered from the bridge's own neighbours, or flooded as without it",
  neighbourSuppression: "as proxyArp",
  multicastFlood:
    "multicast is walked only where neighbours are asked in IPv6, which is flooded by it and by MLD alike",
  operState: "`LOWER_UP` and `NO-CARRIER` say it",
  linkType: "read for what a device is, in assemble",
  qdisc: "as linkType",
  altnames: "names by which assemble finds a device",
  alias: "a remark",
  vrfTable: "whatever meets a VRF is undetermined",
  // Routes and rules
  unresolved: "a rule whose target nobody has is passed over, said or not",
  detached: "a device that is gone never matches, by its name",
  iifDetached: "as detached",
  oifDetached: "as detached",
  groupType: "resilient groups are hashed as others where no bucket is shown",
  cacheFlags: "what `ip route get` adds to its answer, which is held against the walk as a whole",
  wholeFor: "which listing shows all sockets of a protocol: for assemble",
  // ipset, IPVS
  revision: "of the set's type, in the kernel",
  sizeInMemory: "memory",
  references: "how many rules use it",
  numberOfEntries: "a figure of the listing, against which it is held",
  inferredType: "for assemble",
  skbprio: "priorities of queues",
  skbqueue: "as skbprio",
  position: "order of a list, which the reader keeps",
  persistenceTicks: "how the tool printed the timeout",
  persistenceEngine: "SIP alone",
  stats: "counters",
  inPackets: "counters",
  outPackets: "counters",
  inBytes: "counters",
  outBytes: "counters",
  persistentConnections: "counters",
  // Rules
  module: "of a function at a hook, whose name says it",
  noUpdateSubcounters: "counters",
  reap: "forgets what is older than the question asks for",
  level: "how a LOG line is printed, or the depth of a cgroup, which is open",
  tcpSequence: "how a LOG line is printed",
  tcpOptions: "how a LOG line is printed",
  ipOptions: "how a LOG line is printed",
  macDecode: "how a LOG line is printed",
  exist: "adding what is there already",
  meter: "its size",
  handle: "for commands that delete it",
  autoMerge: "how elements are kept",
  interval: "elements say themselves whether they are ranges",
  ofIptables: "for assemble",
};

/** Those that act, and that no walk looks at yet: `docs/fidelity.md` lists them. */
const OPEN: Readonly<Record<string, string>> = {
  upperThreshold: "a real server with as many connections gets no new one",
  lowerThreshold: "as upperThreshold",
  activeConnections: "as upperThreshold",
  inactiveConnections: "as upperThreshold",
  supplementaryGroups: "`owner --suppl-groups`",
  restoreSkmark: "`socket --restore-skmark`: marks of sockets are in no dump",
};

const textsIn = (path: string): string =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((e) => e.isFile() && e.name.endsWith(".ts") && !e.name.endsWith(".test.ts"))
    .map((e) => withoutRemarks(readFileSync(join(e.parentPath, e.name), "utf8")))
    .join("\n");
const withoutRemarks = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");

test("every field that a reader fills is walked, has no effect on a walk and says why, or is listed as open", () => {
  const walk = new Set(["datapath", "trace"].flatMap((d) => textsIn(join(CORE, d)).match(/\w+/g) ?? []));
  const model = MODEL.map((name) =>
    name === "netfilter" || name === "nft"
      ? textsIn(join(CORE, "model", name))
      : withoutRemarks(readFileSync(join(CORE, "model", `${name}.ts`), "utf8")),
  ).join("\n");
  const fields = new Set([...model.matchAll(/readonly (\w+)\??:/g)].map(([, name]) => name!));
  expect(fields.size).toBeGreaterThan(300);
  const listed = { ...NOT_WALKED, ...OPEN };
  expect([...fields].filter((f) => !walk.has(f) && listed[f] === undefined)).toEqual([]);
  // What has come to be walked, or is gone, is taken off the lists.
  expect(Object.keys(listed).filter((f) => walk.has(f) || !fields.has(f))).toEqual([]);
});
