import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { hairpin, type Ran } from "../check/surface.ts";
import { SHAPES } from "./shapes/index.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

type Files = Readonly<Record<string, string>>;

/** Numbers that are the same for the same seed, on every machine. */
class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = (Math.imul(seed + 1, 0x9e3779b1) ^ 0x5bd1e995) >>> 0 || 1;
    for (let i = 0; i < 4; i++) this.below(2);
  }
  /** 0 … n - 1. */
  below(n: number): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state % Math.max(1, n);
  }
  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}

const TOKENS = [
  ...[
    "constructor",
    "__proto__",
    "toString",
    "$(pwned)",
    "`x`",
    ";x",
    "'",
    '"',
    "\\",
    "\u001b[2J",
    "\u202e",
    "\u0000",
    "..",
    "-",
    "--",
    "!",
  ],
  ...[
    "0",
    "-1",
    "4294967296",
    "99999999999999999999",
    "1e308",
    "NaN",
    "0x",
    "0/0",
    "256.1.1.1",
    "::",
    "fe80::1%eth0",
    "10.0.0.0/33",
    "0.0.0.0/0",
  ],
  ...[
    "-j",
    "-m",
    "-A OUTPUT",
    "COMMIT",
    "*nat",
    ":X - [0:0]",
    "-m statistic --mode random --probability 0.5",
    "-m set --match-set x src,dst,src",
  ],
  ...[
    "dev",
    "via",
    "nexthop",
    "lookup",
    "from all",
    "master",
    "inet",
    "link/ether",
    "mtu",
    "02:00:00:00:00:00:00:01",
    "brd",
    "@if1",
    "<UP>",
  ],
  ...[
    "{",
    "}",
    "[",
    "]",
    "- ",
    ": ",
    "&a",
    "*a",
    "|",
    ">",
    "---",
    "...",
    "!!binary",
    "? ",
    "kind: List",
    "items:",
    "spec:",
    "null",
  ],
  ...[
    "```",
    "$ ip route",
    "root@x:~# ",
    "# ",
    "> ",
    "Name: s",
    "Members:",
    "TCP  10.0.0.1:1 rr",
    "  -> 10.0.0.2:1 Masq 1 0 0",
  ],
  ...[
    "Flags [S]",
    "IP 1.2.3.4.5 > 6.7.8.9.10:",
    "IN=eth0 OUT= SRC=",
    "x".repeat(5000),
    " ".repeat(3000),
    "1.".repeat(2000),
    "\t".repeat(500),
  ],
];

const textsIn = (folder: string, below = folder): Files =>
  Object.fromEntries(
    readdirSync(folder).flatMap((name): [string, string][] => {
      const path = join(folder, name);
      const entry = statSync(path);
      if (entry.isDirectory()) return Object.entries(textsIn(path, below));
      return entry.size > 200_000 ? [] : [[relative(below, path), readFileSync(path, "latin1")]];
    }),
  );

export interface Bases {
  readonly cases: readonly Files[];
  readonly shapes: readonly Files[];
}

/** Whole cases to begin with: those that are bundled, folders of dumps of every dialect, and hostile shapes. */
export function basesOf(more: readonly string[] = []): Bases {
  const cases = readdirSync(join(root, "cases")).map((name) => join(root, "cases", name));
  const fixtures = readdirSync(join(root, "test"))
    .map((name) => join(root, "test", name, "fixtures"))
    .filter((path) => existsSync(path));
  const folders = [...cases, ...fixtures, ...more].filter((path) => statSync(path).isDirectory());
  const parts = folders.map((folder) => textsIn(folder)).filter((files) => Object.keys(files).length > 0);
  // A folder of fixtures holds too many for one case: a few at a time.
  const few = parts.flatMap((files): readonly Files[] => {
    const entries = Object.entries(files);
    if (entries.length <= 40) return [files];
    return Array.from({ length: Math.ceil(entries.length / 8) }, (_, i) =>
      Object.fromEntries(entries.slice(8 * i, 8 * i + 8)),
    );
  });
  return { cases: few, shapes: SHAPES.map((s) => s.files(Math.min(s.n, 60))) };
}

function mutated(text: string, other: string, random: Random): string {
  const lines = text.split("\n");
  const at = random.below(lines.length);
  switch (random.below(12)) {
    case 0: {
      const bytes = Buffer.from(text, "latin1");
      for (let i = 0; i <= random.below(8); i++)
        if (bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256);
      return bytes.toString("latin1");
    }
    case 1: {
      const to = Math.min(lines.length, at + 2 + random.below(30));
      const window = lines.slice(at, to);
      for (let i = window.length - 1; i > 0; i--) {
        const j = random.below(i + 1);
        [window[i], window[j]] = [window[j]!, window[i]!];
      }
      return [...lines.slice(0, at), ...window, ...lines.slice(to)].join("\n");
    }
    case 2: {
      const window = lines.slice(at, at + 1 + random.below(10));
      const times = random.below(20) === 0 ? 300 : 1 + random.below(4);
      return [...lines.slice(0, at), ...Array.from({ length: times }, () => window).flat(), ...lines.slice(at)].join(
        "\n",
      );
    }
    case 3:
      return [...lines.slice(0, at), ...lines.slice(at + 1 + random.below(5))].join("\n");
    case 4: {
      const others = other.split("\n");
      const from = random.below(others.length);
      return [...lines.slice(0, at), ...others.slice(from, from + 1 + random.below(40)), ...lines.slice(at)].join("\n");
    }
    case 5:
    case 6: {
      const words = lines[at]!.split(" ");
      words[random.below(words.length)] = random.of(TOKENS);
      return [...lines.slice(0, at), words.join(" "), ...lines.slice(at + 1)].join("\n");
    }
    case 7: {
      const column = random.below(lines[at]!.length + 1);
      const line = `${lines[at]!.slice(0, column)}${random.of(TOKENS)}${lines[at]!.slice(column)}`;
      return [...lines.slice(0, at), line, ...lines.slice(at + 1)].join("\n");
    }
    case 8:
      return text.slice(0, random.below(text.length + 1));
    case 9: {
      const [open, close] = random.of([
        ["{", "}"],
        ["[", "]"],
        ["- ", ""],
        ["a: ", ""],
        ["(", ")"],
        ['{"a":', "}"],
      ] as const);
      const depth = 1 + random.below(400);
      return [...lines.slice(0, at), `${open.repeat(depth)}${close.repeat(depth)}`, ...lines.slice(at)].join("\n");
    }
    case 10:
      return text.replace(/\d+/g, (n) => (random.below(15) === 0 ? String(random.below(0xffffffff)) : n));
    default: {
      const words = [...new Set(text.match(/[A-Za-z][\w-]{2,15}/g) ?? [])];
      if (words.length < 2) return text;
      return text.replaceAll(random.of(words), random.of(words));
    }
  }
}

export interface Input {
  readonly files: Files;
  readonly before: Files;
  readonly args: (folder: string, before: string) => readonly string[];
}

const ADDRESSES = [
  "10.96.0.1:443",
  "10.0.0.1:80",
  "10.244.1.2:8080",
  "8.8.8.8:53",
  "[2001:db8::1]:443",
  "10.96.40.10:80",
  "127.0.0.1:1",
];

/** One input, by its number. */
export function inputOf(bases: Bases, number: number): Input {
  const random = new Random(number);
  // Shapes are made to meet the bounds, which takes seconds: fewer of them.
  const before = random.of(random.below(12) === 0 ? bases.shapes : bases.cases);
  const donor = Object.values(random.of([...bases.cases, ...bases.shapes]));
  const files: Record<string, string> = { ...before };
  const names = Object.keys(files);
  for (let i = 0; i <= random.below(4); i++) {
    const name = random.of(names);
    files[name] = mutated(files[name]!, donor.length === 0 ? "" : random.of(donor), random).slice(0, 2_000_000);
  }
  const nodes = names.flatMap((n) => /nodes\/([^/]+)\//.exec(n)?.[1] ?? []);
  const asked = names.includes("case.yaml") && random.below(3) > 0;
  const from =
    nodes.length > 0 ? `node/${random.of(nodes)}` : random.of(["node/node", "external", "10.0.0.1", "10.244.1.2"]);
  const question = asked
    ? []
    : ["--from", from, "--to", random.of(ADDRESSES), "--proto", random.of(["tcp", "tcp", "udp", "icmp"])];
  // Comparing and sweeping walk packets by the hundred: fewer of it.
  const drawn = random.below(64);
  const kind = drawn < 2 ? 13 + drawn : drawn < 6 ? 15 : drawn < 8 ? 10 + drawn : drawn % 13;
  const patch = random.of([
    "iptables -I OUTPUT -j ACCEPT",
    "ip rule add from all lookup 100",
    "sysctl -w net.ipv4.ip_forward=1",
    "ipset add x 1.2.3.4",
    "ip route add 10.96.0.0/12 dev eth0",
  ]);
  const on = nodes.length > 0 ? `${random.of(nodes)}: ` : "";
  const args = (folder: string, other: string): readonly string[] => {
    switch (kind) {
      case 0:
        return ["check", folder];
      case 1:
        return ["check", folder, "--json"];
      case 2:
        return ["diagnose", folder, ...question, "-v"];
      case 3:
        return ["diagnose", folder, ...question, "--json"];
      case 4:
        return ["diagnose", folder, ...question, "--html", join(folder, "..", "report.html")];
      case 5:
        return ["diagnose", folder, ...question, "--markdown"];
      case 6:
        return ["diagnose", folder, ...question, "--sarif", "--lang", "zh"];
      case 7:
        return ["diagnose", folder, ...question, "--junit"];
      case 8:
        return ["diagnose", folder, ...question, "--try", `${on}${patch}`];
      case 9:
        return ["trace", folder, ...question, "-v"];
      case 10:
        return ["trace", folder, ...question, "--json"];
      case 11:
        return ["instrument", folder, ...question];
      case 12:
        return ["instrument", folder, ...question, "--json"];
      case 13:
        return ["diff", other, folder];
      case 14:
        return ["diff", folder, "--expected", "--json"];
      case 16:
        return ["sweep", folder, "--json", "--max-time", "3"];
      case 17:
        return ["expect", "--record", folder, "--max-time", "3"];
      default:
        return [
          "guard",
          folder,
          ...question,
          "--fix",
          "SERVICE_ROUTE",
          "--on",
          nodes[0] ?? "node",
          "--state",
          join(folder, "..", "state"),
        ];
    }
  };
  return { files, before, args };
}

/** Where inputs are written: memory, where there is a folder of it. */
const scratch = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Runs one input; what must not be is in the outcome. */
export async function runInput({ files, before, args }: Input): Promise<Ran> {
  const folder = mkdtempSync(join(scratch, "hairpin-fuzz-"));
  const write = (below: string, texts: Files): void => {
    for (const [name, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(folder, below, name)), { recursive: true });
      writeFileSync(join(folder, below, name), Buffer.from(text, "latin1"));
    }
  };
  try {
    const words = args(join(folder, "case"), join(folder, "before"));
    write("case", files);
    if (words.includes(join(folder, "before"))) write("before", before);
    return await hairpin(...words);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a run may not be; undefined where it is well. */
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

export function faultOf({ status, out, err }: Ran): string | undefined {
  if (status === 70 || err.includes("internal error")) return `crash: ${err.slice(0, 1500)}`;
  if (RAW.test(out) || RAW.test(err)) return "control characters reach the terminal";
  return undefined;
}
