import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { cleanLeftovers, netnsSupport, OBSERVE_ALL, openNetns, realise } from "@hairpin/lab/index.ts";
import { describe, expect, test } from "vitest";
import { chainOf, connect, MASQUERADE, openLab, support } from "./chain.ts";
import { table } from "./world.ts";

const namespaces = (): readonly string[] =>
  existsSync("/run/netns") ? readdirSync("/run/netns").filter((name) => /^hp\d+-w/.test(name)) : [];

describe.skipIf(!support.usable)("namespaces of the lab on the running kernel", () => {
  const { lab } = openLab();

  test("named namespaces are there while a plan runs and gone after it", async () => {
    const { plan } = realise(chainOf([]), { stimuli: [{ kind: "wait", milliseconds: 300 }] });
    const running = lab().run(plan, { named: true });
    await new Promise((resolve) => setTimeout(resolve, 250));
    const mine = () => namespaces().filter((name) => name.startsWith(`hp${lab().pid}-`));
    const during = mine();
    await running;
    expect(during).toHaveLength(plan.stacks.length + 1);
    expect(mine()).toEqual([]);
  });
});

describe.skipIf(!support.usable)("what the lab leaves behind", () => {
  const alive = (pid: number): boolean => {
    try {
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      return false;
    }
  };
  const gone = async (pid: number): Promise<boolean> => {
    for (let i = 0; i < 60 && alive(pid); i++) await new Promise((resolve) => setTimeout(resolve, 50));
    return !alive(pid);
  };
  const start = async () => {
    const child = spawn(process.execPath, ["--import", "tsx", fileURLToPath(new URL("hold.ts", import.meta.url))], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const said = await new Promise<string>((resolve) =>
      child.stdout!.once("data", (d: Buffer) => resolve(d.toString())),
    );
    return { child, executor: Number(said) };
  };

  test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("nothing after %s", async (signal) => {
    const { child, executor } = await start();
    expect(alive(executor)).toBe(true);
    expect(namespaces().length).toBeGreaterThan(0);
    child.kill(signal);
    expect(await gone(executor)).toBe(true);
    // The reaper that outlives a killed executor needs a moment.
    const own = (names: readonly string[]) => names.filter((n) => n.startsWith(`hp${executor}-`));
    await expect.poll(() => own(namespaces()), { timeout: 60_000 }).toEqual([]);
    await expect.poll(() => own(readdirSync(tmpdir())), { timeout: 60_000 }).toEqual([]);
  });

  test("what an executor that was itself killed leaves is found and removed", async () => {
    const { child, executor } = await start();
    process.kill(executor, "SIGKILL");
    await gone(executor);
    child.kill("SIGKILL");
    await gone(child.pid!);
    expect(namespaces().filter((n) => n.startsWith(`hp${executor}-`)).length).toBeGreaterThan(0);
    const cleaned = cleanLeftovers();
    expect(cleaned.namespaces.filter((n) => n.startsWith(`hp${executor}-`)).length).toBeGreaterThan(0);
    expect(namespaces().filter((n) => n.startsWith(`hp${executor}-`))).toEqual([]);
  });

  test("the machine's own rules, routes and switches are as before", async () => {
    const photo = () =>
      [
        ["ip", ["route", "show", "table", "all"]],
        ["ip", ["rule"]],
        ["iptables-legacy-save", []],
        ["nft", ["list", "ruleset"]],
        ["ip", ["-br", "link"]],
        ["sysctl", ["net.ipv4.ip_forward", "net.netfilter.nf_log_all_netns", "net.ipv4.conf.all.rp_filter"]],
      ].flatMap(([tool, args]) =>
        (spawnSync(tool as string, args as string[], { encoding: "utf8" }).stdout ?? "")
          .split("\n")
          .filter((line) => !line.startsWith("#"))
          // Counters move with whatever else the machine does.
          .map((line) => `${tool}: ${line.replace(/\[\d+:\d+\]|packets \d+ bytes \d+/g, "")}`),
      );
    const before = new Set(photo());
    const lab = await openNetns();
    const { plan } = realise(chainOf([table("nat", { POSTROUTING: [MASQUERADE] }, "nft")]), {
      stimuli: [connect("192.0.2.80", 8080)],
      observe: OBSERVE_ALL,
    });
    await lab.run(plan);
    await lab.close();
    // Tests beside this one make cables here for a moment: what stays is what counts.
    await expect
      .poll(() => photo().filter((line) => !before.has(line)), { timeout: 60_000, interval: 500 })
      .toEqual([]);
  });
});

test("without root it says why", () => {
  expect(netnsSupport(1000)).toMatchObject({ usable: false, reasons: [expect.stringContaining("root")] });
});
