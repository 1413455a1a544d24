import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Askable, diagnose, diagnosisJson, type LoadedCase } from "../../packages/core/src/diagnose/index.ts";
import { verbatim } from "../../packages/core/src/messages/index.ts";
import { readCase } from "../../packages/core/src/parse/index.ts";
import { reportHtml } from "../../packages/web/src/report/report.ts";
import { alikeBranches } from "../../packages/web/src/view/alike.ts";
import { branchView } from "../../packages/web/src/view/leg.ts";
import { bundledCases } from "../cases/bundled.ts";
import { folderOf, hairpin } from "../check/surface.ts";

const assets = { css: "p{}", cssHash: "c", js: "0", jsHash: "j" };
const embedded = (html: string): unknown =>
  JSON.parse(/<script type="application\/json" id="diagnosis">([^<]*)<\/script>/.exec(html)![1]!);

describe.each(bundledCases())("the report of $name", ({ askable }) => {
  const diagnosis = diagnose(askable, {});
  const quote = (file: string, line: number) => askable.quote(file, line);
  const html = reportHtml({ diagnosis, quote, missing: [] }, "en", assets);

  it("embeds what --json prints", () => {
    expect(embedded(html)).toEqual(JSON.parse(JSON.stringify(diagnosisJson(diagnosis, quote))));
  });

  it("is small, and names nothing to load", () => {
    expect(Buffer.byteLength(html)).toBeLessThan(1_000_000);
    expect(html).not.toMatch(/<[a-z][^>]*\s(?:src|srcset|action|formaction|ping)=|@import|url\((?!#)/);
    for (const [, href] of html.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^#/);
    expect(html).toContain("default-src &#39;none&#39;");
  });

  it("has every id once, and leads nowhere else", () => {
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map((m) => m[1]);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of html.matchAll(/(?:href="#|url\(#|aria-labelledby=")([^")]*)/g))
      for (const id of target!.split(" ")) expect(ids).toContain(id);
  });

  it("quotes the lines of every step that has some", () => {
    for (const { request, reply } of diagnosis.inquiry.exploration.branches)
      for (const step of [...request.steps, ...(reply?.steps ?? [])])
        if ("origin" in step && step.origin?.kind === "read")
          expect(html).toContain(`${step.origin.file}:${step.origin.line}`);
  });

  it("says the same in Chinese", () => {
    const zh = reportHtml({ diagnosis, quote, missing: [] }, "zh", assets);
    expect(zh).toContain('<html lang="zh-Hans">');
    expect(zh).toContain("报文路径");
    expect(embedded(zh)).toEqual(embedded(html));
  });

  it("marks the place of death by shape and by word", () => {
    const dies = diagnosis.judgement.verdict !== "reachable";
    expect(html.includes("DROPPED HERE</text>") && html.includes('class="cross"')).toBe(dies);
    // Branches that go the same way to the same end are drawn once.
    const { branches, world } = diagnosis.inquiry.exploration;
    const lost = branches.filter((b) => b.clientSees !== "connected");
    const fates = alikeBranches(lost.map((b, i) => branchView(b, i, quote, world, "en"))).length;
    expect(html.match(/class="cross"/g)).toHaveLength(Math.min(fates, 6));
    expect(html.match(/data-death=""/g)?.length ?? 0).toBe(Math.min(fates, 3));
  });
});

describe("a rule that matched", () => {
  it("is told by what it asks for and what the packet has", () => {
    const { askable } = bundledCases().find((c) => c.name === "hairpin-mode-off")!;
    const { branches, world } = diagnose(askable, {}).inquiry.exploration;
    const [request] = branchView(branches[0]!, 0, (f, l) => askable.quote(f, l), world, "en").legs;
    const rules = request!.steps.filter((s) => s.type === "rule");
    const service = rules.find((s) => s.lines.some((l) => l.text?.includes("-A KUBE-SERVICES -d 10.96.40.10/32")));
    expect(service?.why).toEqual([
      { asks: "-d 10.96.40.10/32", has: "10.96.40.10" },
      { asks: "-p tcp", has: "tcp" },
      { asks: "-m tcp --dport 80", has: "32768-60999 > 80" },
    ]);
    const marked = rules.find((s) => s.text.includes("MASQUERADE"));
    expect(marked?.why.length ?? 0).toBe(0);
    expect(request!.steps.filter((s) => s.type === "route").map((s) => s.lookedUp)).toEqual([
      "to 10.96.40.10",
      "to 10.244.1.2 from 10.244.1.2",
    ]);
  });
});

const HOSTILE = `<img src=x onerror=alert(1)></script><!-- "'&\u202e\u001b[31m`;
const rules = (comment: string): LoadedCase => {
  const text = `*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -d 192.0.2.9/32 -m comment --comment "${comment.replaceAll('"', '\\"')}" -j DROP\nCOMMIT\n`;
  const inputs = [
    { path: `${comment.replaceAll("/", "_")}/iptables-save.txt`, text },
    { path: "ip-addr.txt", text: "2: eth0: <BROADCAST,UP> mtu 1500\n    inet 10.0.0.5/24 scope global eth0\n" },
  ];
  return { inputs, reading: readCase(inputs), notes: [] };
};

describe("whatever stands in a dump is text", () => {
  const askable = new Askable(rules(HOSTILE), []);
  const diagnosis = diagnose(askable, { from: "10.0.0.5", to: "192.0.2.9:80" });
  const html = reportHtml(
    {
      diagnosis,
      quote: (f, l) => askable.quote(f, l),
      missing: [{ node: HOSTILE, what: verbatim(HOSTILE), why: verbatim(""), command: HOSTILE }],
    },
    "en",
    assets,
  );

  it("is shown", () => {
    expect(diagnosis.judgement.verdict).toBe("unreachable");
    expect(html).toContain("&lt;img src=x onerror=alert(1)&gt;");
  });

  it("makes no element, ends none, and hides nothing", () => {
    expect(html).not.toContain("<img");
    expect(html.match(/<\/script>/g)).toHaveLength(2);
    expect(html.match(/<!--/g)).toBeNull();
    expect(html).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/);
  });

  it("comes out of the embedded JSON as it was", () => {
    expect(JSON.stringify(embedded(html))).toContain("onerror=alert(1)></script><!--");
  });
});

describe("diagnose --html", () => {
  const { path: folder, remove } = folderOf({});
  afterAll(remove);
  const path = bundledCases()[0]!.path;

  it("leaves output and status as they are", async () => {
    const file = join(folder, "report.html");
    const plain = await hairpin("diagnose", path, "--json");
    expect(await hairpin("diagnose", path, "--json", "--html", file)).toEqual(plain);
    expect(embedded(readFileSync(file, "utf8"))).toEqual(JSON.parse(plain.out));
  });

  it("says so where the file cannot be written, below the answer", async () => {
    const { status, out, err } = await hairpin("diagnose", path, "--html", join(folder, "no", "such", "folder.html"));
    expect(status).toBe(74);
    expect(err).toContain("--html");
    expect(out).not.toBe("");
  });
});
