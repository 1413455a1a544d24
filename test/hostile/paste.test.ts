import { spawnSync } from "node:child_process";
import {
  chmodSync,
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
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Document, parseAllDocuments, visit } from "yaml";
import { hairpin } from "../check/surface.ts";

const cases = resolve(dirname(fileURLToPath(import.meta.url)), "../../cases");

/** Before a command stands the stack it is typed on: a node, or NAMESPACE/POD. */
function withoutStack(command: string, names: readonly string[]): string {
  const at = command.indexOf(": ");
  const stack = command.slice(0, Math.max(0, at));
  const isStack = names.some(
    (n) => stack === n || (stack.startsWith(`${n}/`) && names.includes(stack.slice(n.length + 1))),
  );
  return isStack ? command.slice(at + 2) : command;
}

/** What is put behind every name: each runs `pwned` in a shell that is given the name unquoted, or in the wrong quotes. */
const HOSTILE = ["$(pwned)", "`pwned`", ";pwned;", "'|pwned|'", '"&&pwned&&"', "'$(pwned)"] as const;

const DIFFED: ReadonlySet<string> = new Set(["hairpin-mode-off", "udp-conntrack-left-over"]);

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });

/** Names that dumps and objects give to things: nodes, pods, namespaces, devices, chains, sets, Services. */
function namesOf(files: ReadonlyMap<string, string>): ReadonlySet<string> {
  const names = new Set<string>();
  const take = (text: string, pattern: RegExp): void => {
    for (const [, name] of text.matchAll(pattern)) if (name !== undefined && name !== "lo") names.add(name);
  };
  for (const [path, text] of files) {
    take(path, /(?:^|\/)nodes\/([^/]+)\//g);
    take(path, /\/pods\/([^/]+)\//g);
    take(path, /\/pods\/[^/]+\/([^/]+)\//g);
    take(text, /^\d+: ([A-Za-z][\w.-]*)[@:]/gm);
    take(text, /^:((?!INPUT|OUTPUT|FORWARD|PREROUTING|POSTROUTING)\S+) - /gm);
    take(text, /^Name: (\S+)$/gm);
    take(text, /^create (\S+) /gm);
    if (path.endsWith(".yaml") && !path.endsWith("case.yaml"))
      take(text, /\b(?:name|namespace): "?([A-Za-z][\w.-]*)"?/g);
  }
  // Words of the dialects themselves, and names that are part of a format.
  for (const word of ["default", "http", "https", "dns", "main", "local", "kube-ipvs0", "tcp", "udp"])
    names.delete(word);
  return names;
}

/** In YAML a name stands in quotes of YAML's own where it has to. */
function inYaml(text: string, named: (text: string) => string): string {
  const documents = parseAllDocuments(text) as readonly Document[];
  for (const document of documents)
    visit(document, {
      Scalar: (_, node) => {
        if (typeof node.value === "string") node.value = named(node.value);
      },
    });
  return documents.map((d) => d.toString()).join("---\n");
}

/** A case with every name of it followed by something a shell would run. */
function renamed(
  folder: string,
  hostile: string,
): { readonly files: ReadonlyMap<string, string>; readonly names: readonly string[] } {
  const files = new Map(
    filesIn(folder)
      .filter((f) => !f.endsWith(".md") && !f.endsWith(".pcap"))
      .map((f) => [relative(folder, f), readFileSync(f, "utf8")]),
  );
  const names = [...namesOf(files)].sort((a, b) => b.length - a.length);
  if (names.length === 0) return { files, names };
  const pattern = new RegExp(
    `(?<![\\w.-])(?:${names.map((n) => n.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})(?![\\w-]|\\.\\w)`,
    "g",
  );
  const put = (text: string, quote: (s: string) => string): string =>
    text.replace(pattern, (name) => quote(`${name}${hostile}`));
  const all = [...files].map(([path, text]) => {
    const named = (t: string): string => put(t, (x) => x);
    const shown = path.endsWith(".yaml") ? inYaml(text, named) : named(text);
    return [path.split("/").map(named).join("/"), shown] as const;
  });
  return { files: new Map(all), names: names.map((n) => `${n}${hostile}`) };
}

/** Every string that an answer gives as a command. */
function commandsIn(value: unknown, key = ""): readonly string[] {
  if (typeof value === "string") return /^(?:commands?|undo|add|show|remove|script|lines)$/.test(key) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((v) => commandsIn(v, key));
  if (typeof value === "object" && value !== null) return Object.entries(value).flatMap(([k, v]) => commandsIn(v, k));
  return [];
}

describe("what is printed for pasting runs nothing but what it says", () => {
  let bin: string;
  let log: string;
  beforeAll(() => {
    bin = mkdtempSync(join(tmpdir(), "hairpin-paste-"));
    chmodSync(bin, 0o777);
    log = join(bin, "log");
    const stub = `#!/bin/sh\n{ printf '%s' "\${0##*/}"; for a in "$@"; do printf '\\037%s' "$a"; done; printf '\\036'; } >> '${log}'\n`;
    const tools = [
      "iptables",
      "ip6tables",
      "iptables-save",
      "ip",
      "ipset",
      "ipvsadm",
      "sysctl",
      "bridge",
      "conntrack",
      "tcpdump",
      "nft",
      "ss",
    ];
    const more = [
      "kubectl",
      "hairpin",
      "grep",
      "ethtool",
      "modprobe",
      "ping",
      "arping",
      "nc",
      "ssh",
      "wc",
      "nmcli",
      "systemctl",
      "pwned",
      "sleep",
      "timeout",
      "setsid",
    ];
    for (const tool of [...tools, ...more]) {
      writeFileSync(join(bin, tool), stub);
      chmodSync(join(bin, tool), 0o755);
    }
  });
  afterAll(() => rmSync(bin, { recursive: true, force: true }));

  /** Runs each as nobody, with no tool at hand but stubs that write down how they were called. */
  function pasted(commands: readonly string[]): readonly (readonly (readonly string[])[])[] {
    rmSync(log, { force: true });
    for (const [i, command] of commands.entries()) writeFileSync(join(bin, `paste-${i}`), `${command}\n`);
    const each = `i=0; while [ $i -lt ${commands.length} ]; do ( . ./paste-$i ) </dev/null; printf '\\035' >> '${log}'; i=$((i + 1)); done`;
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    spawnSync("/bin/sh", ["-c", each], { env: { PATH: bin }, cwd: bin, timeout: 100_000, stdio: "ignore", ...nobody });
    const parts = readFileSync(log, "utf8").split("\x1d").slice(0, -1);
    expect(parts.length).toBe(commands.length);
    return parts.map((p) =>
      p
        .split("\x1e")
        .slice(0, -1)
        .map((line) => line.split("\x1f")),
    );
  }

  const bundled = readdirSync(cases).filter((name) => existsSync(join(cases, name, "case.yaml")));

  test.each(bundled.map((name, i) => [name, HOSTILE[i % HOSTILE.length]!] as const))(
    "%s, every name followed by %s",
    async (name, hostile) => {
      const { files, names } = renamed(join(cases, name), hostile);
      const folder = mkdtempSync(join(tmpdir(), "hairpin-named-"));
      // The same with other rules and settings, to have something that differs.
      const other = mkdtempSync(join(tmpdir(), "hairpin-other-"));
      try {
        for (const [path, text] of files) {
          mkdirSync(dirname(join(folder, path)), { recursive: true });
          writeFileSync(join(folder, path), text);
          mkdirSync(dirname(join(other, path)), { recursive: true });
          writeFileSync(
            join(other, path),
            text.replace(/-j (?:DROP|MASQUERADE)/g, "-j ACCEPT").replace(/ = 1$/gm, " = 0"),
          );
        }
        const found: string[] = [];
        const refused: string[] = [];
        for (const args of [
          ["diagnose", folder, "--json"],
          ["instrument", folder, "--json"],
          ["check", folder, "--json"],
        ]) {
          const { out, err, status } = await hairpin(...args);
          expect(err).not.toMatch(/internal error/);
          if (status < 64) found.push(...commandsIn(JSON.parse(out)));
          else refused.push(`${args[0]}: ${err}`);
        }
        // The packets that differ are walked by the hundred: of two cases is enough.
        const text = DIFFED.has(name) ? await hairpin("diff", folder, other) : { out: "" };
        found.push(...text.out.split("\n").flatMap((l) => /\bhairpin trace .*/.exec(l) ?? []));
        let whole = 0;
        const commands = [...new Set(found)]
          // A file that is written whole from a quoted text is no command; what it holds is, where it is a script's.
          .filter((c) => !c.includes("\n") && !/^(?:cat >|#!|HAIRPIN|\[|\w+=)/.test(c))
          .map((c) => withoutStack(c, names));
        const ran = pasted(commands);
        for (const [i, command] of commands.entries())
          for (const [tool, ...argv] of ran[i]!) {
            expect([command, tool]).not.toEqual([command, "pwned"]);
            for (const word of argv.filter((w) => w.includes("pwned"))) {
              // A dump's own quotes are no part of the name.
              const one = names.some((n) => word.includes(n) || word.includes(n.replaceAll('"', "")));
              expect([command, word, one]).toEqual([command, word, true]);
              whole++;
            }
          }
        expect(refused).toEqual([]);
        expect(whole + found.length).toBeGreaterThan(0);
      } finally {
        for (const f of [folder, other]) rmSync(f, { recursive: true, force: true });
      }
    },
    240_000,
  );
});
