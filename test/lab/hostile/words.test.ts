import { type IpSet, read, type World } from "@hairpin/core/model/index.ts";
import { parseAddress } from "@hairpin/core/net/index.ts";
import { BadPlan, type LabPlan, type Realised, realise, type Stimulus } from "@hairpin/lab/index.ts";
import { describe, expect, test } from "vitest";
import { kitchen } from "./kitchen.ts";
import { linesOfRun, type Watched, watchBuild, watchRun } from "./watch.ts";

const HOSTILE = [
  "pwn\nlink del dev pwn",
  "pwn dev pwn",
  "-fM/tmp/pwn",
  "pwn;$(touch pwn)`",
  "--modprobe=/tmp/pwn",
  'pwn" -j "pwn',
  "../../pwn\0",
  "",
  "pwn\u2028pwn\x9b",
  `${"p".repeat(1200)}wn`,
];

type Path = readonly (string | number)[];

/** Every text and number of a value, one for each place in a record: of the many rules alike one is enough. */
function leavesOf(value: unknown): readonly Path[] {
  const found = new Map<string, Path>();
  const walk = (at: unknown, path: Path, sign: string): void => {
    if (typeof at === "string" || typeof at === "number") {
      if (!found.has(sign)) found.set(sign, path);
    } else if (Array.isArray(at)) {
      for (const [i, one] of at.entries()) walk(one, [...path, i], `${sign}[]${kindOf(one)}`);
    } else if (at instanceof Map) {
      for (const [key, one] of at) walk(one, [...path, key as string], `${sign}.*`);
    } else if (typeof at === "object" && at !== null) {
      for (const [key, one] of Object.entries(at)) if (key !== "origin") walk(one, [...path, key], `${sign}.${key}`);
    }
  };
  walk(value, [], "");
  return [...found.values()];
}
const kindOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return "";
  const { kind, name, key, target } = value as Record<string, unknown>;
  const known = ["flannel.1", "eth0.100", "cni0", "veth0", "tunl1", "kube-ipvs0", "mac0"].includes(name as string);
  return `(${[kind, known ? name : "", kindOf(key), kindOf(target)].join()})`;
};

function put<T>(value: T, [head, ...rest]: Path, leaf: unknown): T {
  if (head === undefined) return leaf as T;
  if (Array.isArray(value)) return value.map((one, i) => (i === head ? put(one, rest, leaf) : one)) as T;
  if (value instanceof Map) return new Map([...value].map(([k, v]) => [k, k === head ? put(v, rest, leaf) : v])) as T;
  return { ...value, [head]: put((value as Record<string | number, unknown>)[head], rest, leaf) };
}

const get = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (at, key) => (at instanceof Map ? at.get(key) : (at as Record<string | number, unknown>)[key]),
    value,
  );

const TOOL = /^(ip|bridge|ipset|ipvsadm|conntrack|ip6?tables-(legacy|nft)-(restore|save))$/;

/** Cheaper than expect(), which is too slow for a million words. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what.slice(0, 300));
}

/** What no alphabet lets through, whatever the tool. */
function expectClean({ runs, sysctls }: Watched): void {
  for (const run of runs) {
    must(TOOL.test(run.tool), run.tool);
    for (const word of run.args) must(/^[A-Za-z0-9_.:@+,/[\]=-]{1,100}$/.test(word), word);
    must(!/[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]/.test(run.stdin ?? ""), run.stdin ?? "");
    for (const line of (run.stdin ?? "").split("\n")) must(line.length <= 8000, line);
    for (const [, ...words] of linesOfRun(run)) {
      for (const [i, word] of words.entries()) {
        const text = /^--(comment|log-prefix|nflog-prefix)$/.test(words[i - 1] ?? "");
        must(text || !/^(-M|-fM|--mod?(=|$)|--modp)/.test(word), word);
        if (!run.tool.includes("tables")) must(/^[!-~]{1,300}$/.test(word), word);
      }
    }
  }
  for (const [parts, value] of sysctls) {
    must(parts[0] === "net", parts.join("/"));
    for (const part of parts) must(/^[A-Za-z0-9_.@+][A-Za-z0-9_.:@+-]*$/.test(part) && !/^\.\.?$/.test(part), part);
    must(/^-?[A-Za-z0-9_. -]+$/.test(value), value);
  }
}

/** Every line is one of before with one value changed for the hostile one: nothing new stands among them. */
function expectNothingNew(known: ReadonlyMap<string, readonly Words[]>, after: Watched, hostile: string): void {
  for (const line of after.runs.flatMap(linesOfRun)) {
    if (!line.some((word) => word.includes("pwn"))) continue;
    for (const word of line) if (word.includes("pwn")) must(holds(word, hostile), word);
    // A rule has many forms: there it is enough that the text is one word, and no command.
    if (line[0]!.includes("tables")) {
      must(/^(-[AID]|:[a-z]+|:pwn.*)$/i.test(line[1]!), line.join(" "));
      continue;
    }
    const like = (known.get(`${line[0]} ${line.length}`) ?? []).some((old) =>
      line.every((word, i) => word === old[i] || holds(word, hostile) || /^\d+$/.test(word)),
    );
    must(like, line.join(" "));
  }
}
type Words = readonly string[];
function linesBySize(watched: Watched): ReadonlyMap<string, readonly Words[]> {
  const found = new Map<string, Words[]>();
  for (const line of watched.runs.flatMap(linesOfRun)) {
    const size = `${line[0]} ${line.length}`;
    found.set(size, [...(found.get(size) ?? []), line]);
  }
  return found;
}

/** The hostile text, whole, as a word of its own or beside what the format joins to it. */
const holds = (word: string, hostile: string): boolean => word.toLowerCase().includes(hostile.toLowerCase());

const realised = (world: World): Realised => realise(world, { stimuli: [] });

/** Of the records the reader leaves no text for. */
const CHANGES = (world: World): readonly Stimulus[] => {
  const node = world.stacks.find((s) => s.name === "node-a")!;
  const set: IpSet = node.ipsets.items[0]!;
  const stack = "node-a";
  const rule = node.netfilter.tables[0]!.chains.flatMap((c) => c.rules)[0]!;
  return [
    { kind: "change", stack, change: { kind: "sysctl", key: "net.ipv4.ip_forward", value: "0" } },
    { kind: "change", stack, change: { kind: "link", device: "eth0", up: false } },
    {
      kind: "change",
      stack,
      change: { kind: "route", action: "add", route: node.routeTables.flatMap((t) => t.routes)[0]! },
    },
    { kind: "change", stack, change: { kind: "rule", action: "delete", rule: node.routingRules.items[1]! } },
    { kind: "change", stack, change: { kind: "neighbour", action: "add", neighbour: node.neighbours.items[0]! } },
    { kind: "change", stack, change: { kind: "ipset", action: "add", set: set.name, entry: set.entries[0]! } },
    {
      kind: "change",
      stack,
      change: {
        kind: "iptables",
        family: 4,
        backend: "legacy",
        table: "nat",
        edit: { kind: "insert", chain: "KUBE-SERVICES", position: 1, rule },
      },
    },
    { kind: "change", stack, change: { kind: "conntrack-flush" } },
    {
      kind: "udp",
      stack,
      to: parseAddress("10.20.0.1")!,
      port: 53,
      bind: { device: "eth0" },
    },
    { kind: "inject", stack, device: "eth0", frame: new Uint8Array(60) },
  ];
};

const FULL = (): LabPlan => {
  const world = kitchen();
  const { plan } = realised(world);
  return {
    ...plan,
    stimuli: CHANGES(world),
    listeners: [{ stack: "node-a", protocol: "tcp", family: 4, port: 80, device: "eth0" }],
  };
};

describe("hostile words in every field", () => {
  const plan = FULL();
  const paths = leavesOf({
    stacks: plan.stacks,
    cables: plan.cables,
    listeners: plan.listeners,
    stimuli: plan.stimuli,
  });

  test("the plan holds something of every sort, and all of it is built", async () => {
    const all = await watchRun(plan);
    expect(all.problem).toBeUndefined();
    const text = all.runs.flatMap(linesOfRun).map((line) => line.join(" "));
    for (const part of [
      "neigh replace to 10.20.0.1 lladdr 02:00:00:00:00:01 dev eth0 nud permanent",
      "type vxlan id 1",
      "type vlan protocol 802.1Q id 100",
      "type ipip local",
      "type macvlan mode bridge",
      "fdb append 0e:10:20:30:40:02",
      "vlan add vid 20-30",
      "fwmark 0x4000/0x4000",
      "nexthop via 10.20.0.13",
      "--match-set KUBE-CLUSTER-IP dst,dst",
      "--log-prefix dropped: ",
      "create ifaces hash:net,iface",
      "add KUBE-CLUSTER-IP 10.96.0.10,udp:53 timeout 12",
      "-a -t 10.96.0.10:53 -r 10.244.1.2:53 -m -w 1",
      "--dst-nat 10.244.1.3:53",
      "-I KUBE-SERVICES 1",
    ]) {
      expect(
        text.some((line) => line.includes(part)),
        part,
      ).toBe(true);
    }
    expectClean(all);
    expect(paths.length).toBeGreaterThan(250);
  });

  test("nothing is run of a plan with a value outside its alphabet, and no line lets one through", async () => {
    const before = linesBySize(await watchBuild(plan));
    let refused = 0;
    for (const path of paths) {
      // What is done is the program's own; what it is done to may be somebody's.
      if (path[0] === "stimuli" && path.at(-1) === "kind") continue;
      // Numbers are numbers by the time they are in a record; one word shows what becomes of them otherwise.
      const isText = typeof get(plan, path) === "string";
      for (const hostile of isText ? HOSTILE : HOSTILE.slice(0, 1)) {
        const changed = put(plan, path, hostile);
        const whole = await watchRun(changed);
        try {
          expectClean(whole);
          if (whole.problem instanceof BadPlan) {
            must(whole.operations.length === 0, whole.operations.join());
            refused++;
          } else if (isText) must(whole.problem === undefined, String(whole.problem));
          else continue;
          const lines = await watchBuild(changed);
          expectClean(lines);
          expectNothingNew(before, lines, hostile);
        } catch (problem) {
          const at = `${path.join(".")} = ${JSON.stringify(hostile).slice(0, 60)}`;
          throw new Error(`${at}: ${(problem as Error).message}`, { cause: problem });
        }
      }
    }
    expect(refused).toBeGreaterThan(400);
  }, 600_000);

  test("from the World on, whatever is made of it", async () => {
    const world = kitchen();
    const before = linesBySize(await watchBuild(realised(world).plan));
    for (const path of leavesOf({ stacks: world.stacks, links: world.links })) {
      if (typeof get(world, path) !== "string") continue;
      for (const hostile of HOSTILE.slice(0, 4)) {
        const watched = await watchRun(realised(put(world, path, hostile)).plan);
        expectClean(watched);
        expectNothingNew(before, watched, hostile);
      }
    }
  }, 600_000);

  test("the refusal names file and line, and the value so that it can be shown", async () => {
    const mac = "02:00:00:00:00:01 dev eth0\nnetns exec x sh -c id";
    const neighbours = plan.stacks[0]!.neighbours.map((n) => ({
      ...n,
      mac,
      origin: read("nodes/node-a/ip-neigh.json", 7),
    }));
    const { problem } = await watchRun({
      ...plan,
      stacks: [{ ...plan.stacks[0]!, neighbours }, ...plan.stacks.slice(1)],
    });
    expect(problem).toBeInstanceOf(BadPlan);
    expect((problem as BadPlan).message).toContain("nodes/node-a/ip-neigh.json:7: ");
    expect((problem as BadPlan).message).toContain("MAC address");
    expect((problem as BadPlan).message).not.toContain("\n");
  });
});
