import { readFileSync } from "node:fs";
import { join } from "node:path";
import { madeClass, madeSweep, manyServices } from "@hairpin/testing/made-sweep.ts";
import { describe, expect, it, vi } from "vitest";
import { MOST_SWEEP_BYTES, sweepHtml } from "../../packages/web/src/sweep/report.ts";
import { CASES } from "../cases/bundled.ts";
import { folderOf, hairpin } from "../check/surface.ts";

vi.setConfig({ testTimeout: 60_000 });

const assets = { css: "p{}", cssHash: "c", js: "0", jsHash: "j" };

describe("the report of a sweep", () => {
  it("stands alone, is bounded, and says what it leaves out", () => {
    for (const count of [10, 2000, 12_000]) {
      const html = sweepHtml(manyServices(count), { lang: "en", title: "big", paths: ["big.tar.gz"] }, assets);
      expect([count, Buffer.byteLength(html) <= MOST_SWEEP_BYTES]).toEqual([count, true]);
      expect(html).not.toMatch(/<[a-z][^>]*\s(?:src|srcset|action|formaction|ping)=|@import|url\((?!#)/);
      expect(html).toContain("default-src &#39;none&#39;");
      expect(html.includes("Left out")).toBe(count === 12_000);
    }
  });

  it("has a row for each of thousands of Services, however many are open: details are left out first", () => {
    const classes = Array.from({ length: 4500 }, (_, i) =>
      (["pod", "node"] as const).map((from, j) => ({
        ...madeClass(2 * i + j, {
          from,
          service: `namespace-${i % 40}/service-${i}`,
          flows: 21_420,
          ...(i % 100 === 0
            ? { verdict: "unreachable", code: "NO_ENDPOINTS" }
            : { verdict: "undetermined", fact: `node-${i}/net.ipv4.conf.all.rp_filter` }),
        }),
      })),
    ).flat();
    const report = { lang: "en", title: "big", paths: ["a-case-with-a-long-name/cluster.tar.gz"] } as const;
    const html = sweepHtml(madeSweep(classes), report, assets);
    expect([html.includes("Left out"), html.match(/class="target-name"/g)?.length]).toEqual([false, 4500]);
    expect(html.match(/<li><b>pod<\/b>[^\n]*UNREACHABLE/g)?.length).toBe(45);
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(MOST_SWEEP_BYTES);
  });

  it("escapes what stands in dumps, and stays bounded by names of any length", () => {
    const evil = '<img src=x onerror="alert(1)">\u202e';
    const of = { from: "pod", flows: 1, verdict: "unreachable", code: evil, summary: evil, commands: [evil] } as const;
    const html = sweepHtml(
      madeSweep([madeClass(1, { ...of, service: `a/${evil}` })]),
      { lang: "zh", title: evil, paths: [evil], worked: () => evil },
      assets,
    );
    expect(html).not.toMatch(/<img|\u202e/);
    const long = madeSweep(
      Array.from({ length: 40 }, (_, i) => madeClass(i, { ...of, service: `a/${i}${"x".repeat(200_000)}` })),
    );
    expect(Buffer.byteLength(sweepHtml(long, { lang: "en", title: "x", paths: ["x"] }, assets))).toBeLessThanOrEqual(
      MOST_SWEEP_BYTES,
    );
  });

  it("is written by --html, with the usual diagnosis of the worst", async () => {
    const { path: folder, remove } = folderOf({});
    const file = join(folder, "sweep.html");
    const { status, out } = await hairpin("sweep", join(CASES, "nodeport-local-policy"), "--html", file);
    const html = readFileSync(file, "utf8");
    expect([status, out]).toEqual([1, expect.stringContaining("Broken, by cause")]);
    expect(html).toContain("ETP_LOCAL_NO_ENDPOINT_IPTABLES");
    expect(html).toContain("UNREACHABLE");
    expect(
      (await hairpin("sweep", join(CASES, "nodeport-local-policy"), "--html", join(folder, "no/x.html"))).status,
    ).toBe(74);
    remove();
  });
});
