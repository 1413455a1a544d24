import { basename } from "node:path";
import {
  haveReference,
  referenceFiles,
  referenceJson,
  referencePath,
  referenceText,
} from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { dialects as ipsetDialects } from "../../packages/core/src/parse/ipset/index.ts";
import { dialects as ipvsDialects, printListing } from "../../packages/core/src/parse/ipvs/index.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";
import { dialects as sysctlDialects } from "../../packages/core/src/parse/sysctl/index.ts";

const all = [...ipsetDialects, ...ipvsDialects, ...sysctlDialects];
const BY_NAME: Readonly<Record<string, string>> = {
  "ipset-list.txt": "ipset-list",
  "ipvsadm-ln.txt": "ipvsadm-ln",
  "ipvsadm-save.txt": "ipvsadm-save",
  "ipvsadm-lnc.txt": "ipvsadm-lnc",
  "sysctl.txt": "sysctl",
};
const relative = (path: string): string => path.slice(referencePath().length + 1);
/** Two of these files have the typed command above the dump, which the transcript reader takes off. */
const withoutPrompt = (text: string): string => text.replace(/^(?:\S+[#$]|#) .*\n/, "");

describe.skipIf(!haveReference)("the incidents' dumps of sets, IPVS and sysctls", () => {
  const files = referenceFiles("incidents").filter((f) => f.includes("/dumps/") && BY_NAME[basename(f)] !== undefined);
  test("there are 24", () => expect(files.length).toBe(24));
  test.each(files.map((f) => [relative(f)]))("%s is read without complaint", (file) => {
    const text = withoutPrompt(referenceText(file));
    const dialect = all.find((d) => d.id === BY_NAME[basename(file)])!;
    const reading = dialect.read(sourceOf(file, text), {});
    expect(reading.diagnostics).toEqual([]);
    expect(Object.values(reading.counts).some((n) => n > 0)).toBe(true);
    for (const line of text.split("\n")) if (line.trim() !== "") expect(dialect.claim(line), line).not.toBe("no");
    // Where the columns' trailing blanks were kept, the listing prints back as it was.
    for (const fact of reading.facts) {
      if (fact.kind !== "ipvs" || !/ {8}\n/.test(text)) continue;
      expect(printListing(fact.services, text.startsWith("IP Virtual") ? 4096 : undefined)).toBe(text);
    }
  });
});

interface ProxyCase {
  readonly ipsets?: Readonly<
    Record<string, { readonly type: string; readonly family: string; readonly entries: readonly string[] }>
  >;
  readonly virtualServers?: readonly {
    readonly address: string;
    readonly port: number;
    readonly protocol: string;
    readonly scheduler: string;
    readonly realServers: readonly { readonly address: string; readonly port: number; readonly weight: number }[];
  }[];
}

describe.skipIf(!haveReference)("what kube-proxy programs in ipvs mode", () => {
  const files = referenceFiles("kube-proxy", "objects-ipvs").filter((f) => f.endsWith(".json"));
  test("its sets and services read back from ipset save and ipvsadm -Sn", () => {
    let entries = 0;
    let servers = 0;
    for (const file of files) {
      const proxyCase = referenceJson<ProxyCase>(relative(file));
      const save = Object.entries(proxyCase.ipsets ?? {}).flatMap(([name, set]) => [
        `create ${name} ${set.type} ${set.type.startsWith("bitmap") ? "range 0-65535" : `family ${set.family}`}`,
        ...set.entries.map((e) => `add ${name} ${e}`),
      ]);
      const sets = ipsetDialects.find((d) => d.id === "ipset-save")!.read(sourceOf(file, save.join("\n")), {});
      expect(sets.diagnostics).toEqual([]);
      entries += sets.counts.entries!;
      const host = (a: string): string => (a.includes(":") ? `[${a}]` : a);
      const option: Readonly<Record<string, string>> = { TCP: "-t", UDP: "-u", SCTP: "--sctp-service" };
      const rules = (proxyCase.virtualServers ?? []).flatMap((v) => {
        const name = `${option[v.protocol]} ${host(v.address)}:${v.port}`;
        return [
          `-A ${name} -s ${v.scheduler}`,
          ...v.realServers.map((r) => `-a ${name} -r ${host(r.address)}:${r.port} -m -w ${r.weight}`),
        ];
      });
      const services = ipvsDialects.find((d) => d.id === "ipvsadm-save")!.read(sourceOf(file, rules.join("\n")), {});
      expect(services.diagnostics).toEqual([]);
      servers += services.counts.servers!;
    }
    expect(files.length).toBeGreaterThan(50);
    expect(entries).toBeGreaterThan(files.length);
    expect(servers).toBeGreaterThan(files.length);
  });
});
