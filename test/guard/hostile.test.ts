import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { able, bundled, makeNode } from "./node.ts";

const NOBODY = 65534;

describe.skipIf(!able)("what others left for the guard to trip over", { timeout: 180_000 }, () => {
  let node: Awaited<ReturnType<typeof makeNode>>;
  beforeAll(async () => {
    node = await makeNode("hp-guard-hostile");
  }, 60_000);
  afterAll(() => node?.clean());

  test("a setting outside of net. is refused, whatever way its name goes", () => {
    const victim = join(node.top, "victim");
    writeFileSync(victim, "as it was\n");
    const key = `net.//.//.//${victim.replaceAll(".", "@").replaceAll("/", ".").replaceAll("@", "/")}`;
    const run = node.put([`sysctl -w '${key}=written by root'`], { folder: join(node.top, "state-01") });
    expect(run.status).toBe(69);
    expect(run.err).toContain("only settings below net.");
    expect(readFileSync(victim, "utf8")).toBe("as it was\n");
  });

  /** A journal that says something harmful was confirmed. */
  const journal = (): string =>
    JSON.stringify({
      version: 1,
      kept: {
        code: "x",
        summary: "x",
        node: "n",
        commands: ["sysctl -w net.ipv4.conf.eth0.rp_filter=1"],
        backend: "nft",
      },
      phase: "confirmed",
      priors: [{}],
      deadline: 0,
      boot: "x",
      repairs: [],
    });

  const foreign: readonly (readonly [string, RegExp, (at: string) => string])[] = [
    [
      "a folder of another user",
      /belongs to user 65534/,
      (at) => {
        mkdirSync(at, { mode: 0o755 });
        writeFileSync(join(at, "state.json"), journal());
        chownSync(at, NOBODY, NOBODY);
        return at;
      },
    ],
    [
      "a journal of another user",
      /state\.json belongs to user 65534/,
      (at) => {
        mkdirSync(at, { mode: 0o700 });
        writeFileSync(join(at, "state.json"), journal());
        chownSync(join(at, "state.json"), NOBODY, NOBODY);
        return at;
      },
    ],
    [
      "a folder anybody may write to",
      /others may write to .*mode 0777/,
      (at) => {
        mkdirSync(at);
        writeFileSync(join(at, "state.json"), journal());
        chmodSync(at, 0o777);
        return at;
      },
    ],
    [
      "a journal anybody may write to",
      /others may write to .*state\.json/,
      (at) => {
        mkdirSync(at, { mode: 0o700 });
        writeFileSync(join(at, "state.json"), journal());
        chmodSync(join(at, "state.json"), 0o666);
        return at;
      },
    ],
    [
      "a folder in one of another user",
      /belongs to user 65534/,
      (at) => {
        mkdirSync(join(at, "inner"), { recursive: true, mode: 0o700 });
        writeFileSync(join(at, "inner/state.json"), journal());
        chownSync(at, NOBODY, NOBODY);
        return join(at, "inner");
      },
    ],
    [
      "a link in place of the folder",
      /is a link/,
      (at) => {
        mkdirSync(`${at}.real`, { mode: 0o700 });
        writeFileSync(join(`${at}.real`, "state.json"), journal());
        symlinkSync(`${at}.real`, at);
        return at;
      },
    ],
    [
      "a link in place of the journal",
      /state\.json is a link/,
      (at) => {
        mkdirSync(at, { mode: 0o700 });
        writeFileSync(`${at}.json`, journal());
        symlinkSync(`${at}.json`, join(at, "state.json"));
        return at;
      },
    ],
    [
      "a FIFO in place of the journal",
      /is not a plain file/,
      (at) => {
        mkdirSync(at, { mode: 0o700 });
        spawnSync("mkfifo", [join(at, "state.json")]);
        return at;
      },
    ],
  ];

  test.each(foreign.map((f, i) => [f[0], i] as const))("%s is not obeyed", (_, i) => {
    const [, complaint, plant] = foreign[i]!;
    const folder = plant(join(node.top, `foreign-${i}`));
    node.sh("sysctl -qw net.ipv4.conf.eth0.rp_filter=2");
    for (const verb of ["--once", "--remove", "--confirm", "--status"]) {
      const run = node.guard([verb, "--state", folder]);
      expect(run.err, verb).toMatch(complaint);
      expect(run.status, verb).toBe(69);
    }
    expect(node.sh("sysctl -n net.ipv4.conf.eth0.rp_filter")).toBe("2\n");
    node.sh("sysctl -qw net.ipv4.conf.eth0.rp_filter=0");
  });

  test("a link in place of the lock is not followed", () => {
    const folder = join(node.top, "linked-lock");
    const victim = join(node.top, "no-such-file");
    mkdirSync(folder, { mode: 0o700 });
    symlinkSync(victim, join(folder, "guard.lock"));
    expect(node.guard(["--once", "--state", folder])).toMatchObject({
      status: 69,
      err: expect.stringMatching(/is a link/),
    });
    expect(existsSync(victim)).toBe(false);
  });

  test("a damaged journal is said to be one", () => {
    const folder = join(node.top, "damaged");
    mkdirSync(folder, { mode: 0o700 });
    for (const text of ["", "{}", "[]", "null", '{"version":1,"priors":[],"kept":{"commands":[]}}', `${journal()}x`]) {
      writeFileSync(join(folder, "state.json"), text);
      const run = node.guard(["--once", "--state", folder]);
      expect([run.status, run.err], text).toEqual([69, expect.stringMatching(/is damaged/)]);
    }
  });

  describe("an entry of a set comes back as it was", () => {
    const SETS = [
      ["hash:ip timeout 3600 comment", '10.1.1.1 timeout 0 comment "TICKET-42 keep forever"', "10.1.1.1"],
      ["hash:ip timeout 3600", "10.1.1.1 timeout 2000", "10.1.1.1"],
      ["hash:ip counters", "10.1.1.1 packets 7 bytes 700", "10.1.1.1/32"],
      ["hash:net comment", '10.1.0.0/16 nomatch comment "é \\ x"', "10.1.3.4/16"],
      ["hash:ip,port counters comment", '10.1.1.1,udp:53 packets 1 bytes 2 comment "a"', "10.1.1.1,17:53"],
      ["hash:ip skbinfo", "10.1.1.1 skbmark 0x1/0xff skbprio 1:10 skbqueue 3", "10.1.1.1"],
      ["hash:net,iface", "10.1.1.0/24,eth0", "10.1.1.0/24,eth0"],
      ["bitmap:port range 0-1023 comment", '80 comment "web"', "80"],
    ] as const;

    test.each(SETS)("%s: %s", (type, entry, typed) => {
      const folder = join(node.top, "sets");
      node.sh(`ipset create hs ${type}; printf '%s\\n' 'add hs ${entry}' | ipset restore`);
      try {
        const before = node.sh("ipset save hs");
        for (const command of [`ipset del hs ${typed}`, `ipset add hs ${typed}`]) {
          expect(node.put([command], { folder }), command).toMatchObject({ status: 0 });
          const during = node.sh("ipset save hs");
          if (command.includes(" del ")) expect(during).not.toBe(before);
          expect(node.guard(["--remove", "--state", folder]), command).toMatchObject({ status: 0 });
          // Time runs on, here as it would have there.
          const still = (text: string) => text.replace(/timeout (19\d\d|2000)$/m, "timeout 2000");
          expect(still(node.sh("ipset save hs")), command).toBe(still(before));
        }
      } finally {
        node.guard(["--remove", "--state", folder]);
        node.sh("ipset destroy hs");
      }
    });

    test("its place in a list of sets too", () => {
      const folder = join(node.top, "lists");
      node.sh("for s in a b c; do ipset create hs-$s hash:ip; done; ipset create hl list:set");
      node.sh("for s in a b c; do ipset add hl hs-$s; done");
      const before = node.sh("ipset save hl");
      expect(node.put(["ipset del hl hs-b"], { folder })).toMatchObject({ status: 0 });
      expect(node.sh("ipset save hl")).not.toBe(before);
      expect(node.guard(["--remove", "--state", folder])).toMatchObject({ status: 0 });
      expect(node.sh("ipset save hl")).toBe(before);
      node.sh("ipset destroy hl; for s in a b c; do ipset destroy hs-$s; done");
    });

    test("a network that covers it is not the entry", () => {
      const folder = join(node.top, "covered");
      node.sh("ipset create hs hash:net; ipset add hs 10.1.0.0/16");
      const before = node.sh("ipset save hs");
      expect(node.put(["ipset add hs 10.1.2.3"], { folder })).toMatchObject({ status: 0 });
      expect(node.sh("ipset save hs")).toContain("add hs 10.1.2.3");
      expect(node.guard(["--remove", "--state", folder])).toMatchObject({ status: 0 });
      expect(node.sh("ipset save hs")).toBe(before);
      node.sh("ipset destroy hs");
    });
  });

  describe("the lock", () => {
    let hold: string;
    beforeAll(async () => {
      hold = await bundled("test/guard/hold.ts", join(node.top, "hold.cjs"));
    });
    const inPidNamespace = ["--pid", "--fork", "--mount-proc", "--kill-child"];

    test("holds between a node and the PID namespaces of its containers", async () => {
      const folder = join(node.top, "locked");
      const log = join(node.top, "locked.log");
      writeFileSync(log, "");
      const args = [process.execPath, hold, folder, log, "150"];
      const codes = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          ended(i % 2 === 0 ? spawn(args[0]!, args.slice(1)) : spawn("unshare", [...inPidNamespace, ...args])),
        ),
      );
      expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
      expect(readFileSync(log, "utf8")).toBe("in\nout\n".repeat(6));
    });

    test("goes with the process that held it", async () => {
      const folder = join(node.top, "killed");
      const log = join(node.top, "killed.log");
      writeFileSync(log, "");
      const holder = spawn("unshare", [...inPidNamespace, process.execPath, hold, folder, log, "60000"]);
      await expect.poll(() => readFileSync(log, "utf8"), { timeout: 60_000 }).toBe("in\n");
      holder.kill("SIGKILL");
      await ended(holder);
      const began = Date.now();
      expect(spawnSync(process.execPath, [hold, folder, log, "0"]).status).toBe(0);
      expect(Date.now() - began).toBeLessThan(10_000);
      expect(readFileSync(log, "utf8")).toBe("in\nin\nout\n");
    });

    test("what a guard of an earlier version left does not block", () => {
      const folder = join(node.top, "earlier");
      mkdirSync(join(folder, "lock"), { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, "lock/owner"), "1 1");
      expect(node.guard(["--once", "--state", folder])).toMatchObject({ status: 0 });
    });
  });

  test("Ctrl-C while it is put there: nothing of it stays", async () => {
    const fresh = node.snapshot();
    const bin = node.shims(["flock"], `touch ${join(node.top, "began")}; sleep 1; exec $REAL "$@"`);
    rmSync(join(node.top, "began"), { force: true });
    const child = node.start([node.folder, "--fix", "loose-on-the-main-card", "--apply"], {
      PATH: `${bin}:${process.env.PATH}`,
    });
    let said = "";
    child.stderr.on("data", (data: Buffer) => {
      said += data.toString();
    });
    await expect.poll(() => existsSync(join(node.top, "began")), { timeout: 60_000 }).toBe(true);
    child.kill("SIGINT");
    expect(await ended(child)).toBe(130);
    expect(said).toContain("interrupted");
    expect(said).toContain("taken back: sysctl");
    expect(node.snapshot()).toBe(fresh);
    expect(node.guard(["--status"]).out).toBe("Nothing is kept here.\n");
  });
});

const ended = (child: ReturnType<typeof spawn>) => new Promise((resolve) => child.on("exit", resolve));
