import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { able, COMMANDS, makeNode } from "./node.ts";

describe.skipIf(!able)("the guard on a real node", { timeout: 180_000 }, () => {
  let node: Awaited<ReturnType<typeof makeNode>>;
  let fresh: string;
  beforeAll(async () => {
    node = await makeNode("hp-guard-test");
    fresh = node.snapshot();
  }, 60_000);
  afterAll(() => node?.clean());
  beforeEach(() => {
    node.guard(["--remove"]);
    expect(node.snapshot()).toBe(fresh);
  });

  const propose = (fix: string) => node.guard([node.folder, "--fix", fix, "--apply"]);
  const keep = (what: string): void => {
    expect(node.put(what)).toMatchObject({ status: 0 });
    expect(node.guard(["--confirm"])).toMatchObject({ status: 0 });
  };
  const ours = (): number => node.sh("iptables-nft-save -t nat").match(/hairpin guard/g)?.length ?? 0;

  test("says what it would do and does nothing", () => {
    const { status, out } = node.guard([node.folder, "--fix", "loose-on-the-main-card"]);
    expect(status).toBe(0);
    expect(out).toContain("sysctl -w net.ipv4.conf.eth0.rp_filter=2  (absent now)");
    expect(node.snapshot()).toBe(fresh);
  });

  test("in Chinese, too", () => {
    const plan = node.guard([node.folder, "--fix", "loose-on-the-main-card", "--lang", "zh"]);
    expect(plan.out).toContain("sysctl -w net.ipv4.conf.eth0.rp_filter=2（目前缺失）");
    expect(plan.out).toContain("证明：应用后该流量的结论是 reachable。");
    expect(node.guard([node.folder, "--fix", "no-such-fix", "--lang", "zh"]).err).toContain(
      "没有名为 no-such-fix 的修复",
    );
    keep("rule-and-setting");
    expect(node.guard(["--status", "--lang", "zh"]).out).toMatch(/已确认\n {2}存在：/);
    expect(node.guard(["--remove", "--lang", "zh"]).out).toContain("已撤销：sysctl");
  });

  test("a fix that a walk proves is put there and kept", () => {
    expect(propose("loose-on-the-main-card")).toMatchObject({ status: 0 });
    expect(node.sh("sysctl -n net.ipv4.conf.eth0.rp_filter")).toBe("2\n");
    expect(node.guard(["--confirm"])).toMatchObject({ status: 0 });
    expect(node.guard(["--status"])).toMatchObject({ status: 0 });
  });

  test.each([
    ["with-an-idle-rule", "iptables -t nat -I POSTROUTING -s 192.0.2.9/32 -j ACCEPT"],
    ["with-an-idle-setting", "sysctl -w net.core.somaxconn=5000"],
    ["with-another-line", "ipset add KUBE-LOAD-BALANCER 192.0.2.7,tcp:81"],
  ])("a fix with a part that changes nothing in the walk is refused: %s", (fix, part) => {
    const refused = propose(fix);
    expect(refused.status).toBe(65);
    expect(refused.err).toContain("the walk is the same without a part of it");
    expect(refused.err).toContain(part);
    expect(refused.err).not.toContain("rp_filter=2");
    expect(node.snapshot()).toBe(fresh);
  });

  test("a fix that does not work is refused, and one that nobody proposed", () => {
    const refused = propose("off-on-the-main-card");
    expect(refused.status).toBe(65);
    expect(refused.err).toMatch(/refused: with it the flow is unreachable/);
    expect(propose("no-such-fix").status).toBe(64);
    expect(node.snapshot()).toBe(fresh);
  });

  test("every kind of fix is put there, put back after it was flushed, and undone", () => {
    keep("everything");
    const kept = node.snapshot();
    expect(kept).not.toBe(fresh);
    expect(node.guard(["--status"])).toMatchObject({ status: 0, out: expect.stringContaining("confirmed") });
    node.sh(`iptables-nft -t nat -F; ip rule del pref 500; ip route flush table 77; ipset del KUBE-LOAD-BALANCER 192.0.2.7,tcp:81
             sysctl -qw net.ipv4.conf.eth0.rp_filter=1`);
    expect(node.guard(["--status"]).status).toBe(1);
    const repaired = node.guard(["--once"]);
    expect(repaired.status).toBe(0);
    expect(repaired.out.match(/put back/g)).toHaveLength(COMMANDS.length);
    expect(node.snapshot()).toBe(kept);
    expect(node.guard(["--once"]).out).toBe("");
    expect(node.guard(["--remove"]).status).toBe(0);
    expect(node.snapshot()).toBe(fresh);
    expect(node.guard(["--status"])).toMatchObject({ status: 1, out: "Nothing is kept here.\n" });
  });

  test("unless confirmed it takes itself back", async () => {
    expect(node.put("everything", { within: "1" }).status).toBe(0);
    expect(node.snapshot()).not.toBe(fresh);
    await expect.poll(() => node.snapshot(), { timeout: 60_000 }).toBe(fresh);
    expect(node.guard(["--confirm"]).status).toBe(1);
  });

  test("what was there before the guard stays when it goes", () => {
    node.sh("iptables-nft -t nat -A POSTROUTING -s 192.0.2.9/32 -j ACCEPT; sysctl -qw net.ipv4.conf.eth0.rp_filter=2");
    const before = node.snapshot();
    keep("rule-and-setting");
    expect(node.snapshot()).toBe(before);
    node.guard(["--remove"]);
    expect(node.snapshot()).toBe(before);
    node.sh("iptables-nft -t nat -F; sysctl -qw net.ipv4.conf.eth0.rp_filter=0");
  });

  test("rules go to the back end that kube-proxy uses", () => {
    node.sh("iptables-legacy -t nat -N KUBE-SERVICES; iptables-nft -t nat -A OUTPUT; iptables-nft -t nat -A OUTPUT");
    keep("rule-and-setting");
    expect(node.sh("iptables-legacy-save -t nat")).toContain("192.0.2.9/32");
    expect(node.sh("iptables-nft-save -t nat")).not.toContain("192.0.2.9/32");
    node.guard(["--remove"]);
    node.sh("iptables-legacy -t nat -X KUBE-SERVICES; iptables-nft -t nat -F");
  });

  test("a rule that others moved in front of is put first again, without a gap", () => {
    node.sh("iptables-nft -t nat -A POSTROUTING -j MASQUERADE");
    keep("rule-and-setting");
    node.sh("iptables-nft -t nat -D POSTROUTING -j MASQUERADE; iptables-nft -t nat -I POSTROUTING -j MASQUERADE");
    expect(node.guard(["--status"]).out).toContain("displaced");
    expect(node.guard(["--once"]).out).toContain("displaced");
    const rules = node
      .sh("iptables-nft-save -t nat")
      .split("\n")
      .filter((l) => l.startsWith("-A POSTROUTING"));
    expect(rules).toHaveLength(2);
    expect(rules[0]).toContain("192.0.2.9/32");
    node.guard(["--remove"]);
    node.sh("iptables-nft -t nat -F");
  });

  test("while it runs, a flush is repaired soon", async () => {
    keep("rule-and-setting");
    const running = node.start(["--run", "--interval", "20"]);
    try {
      await expect.poll(ours, { timeout: 60_000 }).toBe(1);
      // Its monitors need a moment to listen.
      await new Promise((resolve) => setTimeout(resolve, 1000));
      for (let i = 0; i < 2; i++) {
        node.sh("iptables-nft -t nat -F");
        await expect.poll(ours, { timeout: 60_000 }).toBe(1);
      }
    } finally {
      const ended = new Promise((resolve) => running.on("exit", resolve));
      running.kill("SIGTERM");
      await ended;
    }
  });

  test("somebody who keeps taking it out is not fought", () => {
    keep("rule-and-setting");
    const rounds = Array.from({ length: 4 }, () => {
      node.sh("iptables-nft -t nat -F");
      return node.guard(["--once"]).status;
    });
    expect(rounds).toEqual([0, 0, 0, 1]);
    expect(ours()).toBe(0);
    expect(node.guard(["--status"]).out).toContain("contested");
  });

  test("beside others who write the same table, nothing is lost and nothing doubled", async () => {
    keep("rule-and-setting");
    node.sh("iptables-nft -t nat -F");
    // The others' rules come in one transaction each, as kube-proxy's do.
    const others = node.startShell(
      `for i in 1 2 3 4 5 6 7 8 9 10; do printf '*nat\\n-A PREROUTING -s 10.9.0.%d -j ACCEPT\\nCOMMIT\\n' $i | iptables-nft-restore --noflush -w; done`,
    );
    const guards = Array.from({ length: 4 }, () => node.start(["--once"]));
    await Promise.all([others, ...guards].map((g) => new Promise((resolve) => g.on("exit", resolve))));
    expect(ours()).toBe(1);
    expect(node.sh("iptables-nft-save -t nat").match(/10\.9\.0\.\d+/g)).toHaveLength(10);
    node.guard(["--remove"]);
    node.sh("iptables-nft -t nat -F");
  });

  test("two that apply at once put one rule there", async () => {
    const both = [1, 2].map(() => node.startPut("rule-and-setting"));
    const codes = await Promise.all(both.map((g) => new Promise((resolve) => g.on("exit", resolve))));
    expect(codes).toEqual([0, 0]);
    expect(ours()).toBe(1);
  });

  test.each([
    ["before", "everything"],
    ["after", "rule-and-setting"],
  ])(
    "killed %s any of the tools it calls, it leaves nothing behind (%s)",
    async (when, fix) => {
      const count = join(node.top, `count-${when}`);
      const kill = `[ "$n" = "$KILL" ] && kill -9 $PPID`;
      const bin = node.shims(
        ["iptables-nft-save", "iptables-nft-restore", "ip", "ipset"],
        `n=$(($(cat ${count}) + 1)); echo $n >${count}
${when === "before" ? `${kill} && exit 1\nexec $REAL "$@"` : `$REAL "$@"; s=$?; ${kill}; exit $s`}`,
      );
      let killed = 0;
      for (let step = 1; step < 60; step++) {
        writeFileSync(count, "0");
        const env = { PATH: `${bin}:${process.env.PATH}`, KILL: String(step) };
        const { status } = node.put(fix, { within: "0.1" }, env);
        if (status === 0) break;
        await expect.poll(() => node.snapshot(), { timeout: 60_000, interval: 100 }).toBe(fresh);
        killed++;
      }
      expect(killed).toBeGreaterThan(2);
      expect(killed).toBeLessThan(59);
      // The last number fell on the one that takes back: whoever comes next does it.
      await new Promise((resolve) => setTimeout(resolve, 300));
      node.guard(["--once"]);
      expect(node.snapshot()).toBe(fresh);
    },
    120_000,
  );

  test("where the journal cannot be written, nothing is touched", () => {
    const disk = node.scratch("disk");
    spawnSync("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", disk]);
    try {
      spawnSync("dd", ["if=/dev/zero", `of=${join(disk, "full")}`, "bs=1k", "count=64"]);
      const { status, err } = node.put("everything", { folder: join(disk, "state") });
      expect(status).toBe(69);
      expect(err).toMatch(/ENOSPC/);
      expect(node.snapshot()).toBe(fresh);
    } finally {
      spawnSync("umount", [disk]);
    }
  });

  test("where a part cannot be set, none of it stays", () => {
    const run = node.sh(
      `unshare -m sh -c 'mount --bind /proc/sys /proc/sys && mount -o remount,ro,bind /proc/sys && exec "$@"' sh ${node
        .putWords("rule-and-setting")
        .slice(3)
        .map((w) => `'${w}'`)
        .join(" ")} 2>&1 || echo status $?`,
    );
    expect(run).toMatch(/nothing was changed: .*EROFS/);
    expect(run).toContain("status 69");
    expect(node.snapshot()).toBe(fresh);
  });

  test.each(["systemd", "cron", "daemonset"])("the files of a %s service", (kind) => {
    const { status, out } = node.guard(["--print", kind, "--fix", "everything"]);
    expect(status).toBe(0);
    expect(out).toMatch(/guard.*--(run|once)/);
  });
});
