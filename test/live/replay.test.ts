import { readdirSync } from "node:fs";
import { haveReference, referenceJson, referencePath } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Gathering } from "../../packages/cli/src/live/gathering.ts";
import type { Wish } from "../../packages/collect/src/index.ts";
import { packed } from "../../packages/collect/src/tar.ts";
import { Askable, diagnose } from "../../packages/core/src/diagnose/index.ts";

interface Probe {
  readonly id: string;
  readonly from: string;
  readonly addr: string;
  readonly to?: string;
  readonly proto?: string;
  readonly args?: readonly string[];
  readonly real: Readonly<Record<string, number>>;
}

function behaviour({ real }: Probe): string {
  const worked = Object.keys(real).map((outcome) => /^(?:ok|connected)/.test(outcome));
  return worked.every(Boolean) ? "reachable" : worked.some(Boolean) ? "intermittent" : "unreachable";
}

const faults = haveReference
  ? readdirSync(referencePath("cluster"), { withFileTypes: true }).flatMap((e) =>
      e.isDirectory() && readdirSync(referencePath("cluster", e.name, "case")).includes("nodes") ? [e.name] : [],
    )
  : [];

/** What the fault is called and what mends it, of a flow that it harms. */
const NAMED: Readonly<Record<string, readonly [code: string, fix: string]>> = {
  "no-route": ["NO_ROUTE possible", "node-a: ip route add 10.244.1.0/24 via 10.200.0.12"],
};

/** Dumps of a real cluster with a fault in it, handed out node by node as `hairpin live` asks for them. */
describe.skipIf(!haveReference)("a real cluster, asked live", () => {
  test.each(faults)(
    "%s: as the cluster behaved, and no less than all that was collected tells",
    {
      timeout: 300_000,
    },
    async (fault) => {
      const whole = loadCase([referencePath("cluster", fault, "case")]);
      const askable = new Askable(whole, []);
      const texts = whole.inputs.flatMap((i) => (i.text === undefined ? [] : [{ path: i.path, text: i.text }]));
      const objects = texts.filter((f) => f.path.startsWith("kubernetes/"));
      const filesOf = ({ node, pods }: Wish) =>
        texts.filter(({ path }) => {
          const [, of, kind, namespace, name] = path.split("/");
          return path.startsWith("nodes/") && of === node && (kind !== "pods" || pods.includes(`${namespace}/${name}`));
        });
      for (const probe of referenceJson<readonly Probe[]>("cluster", fault, "probes.json")) {
        const node = probe.args?.[1];
        const question = {
          from: probe.from === "ext" ? "192.0.2.10" : probe.from,
          to: probe.to ?? probe.addr,
          proto: probe.proto ?? "tcp",
          ...(node !== undefined && { node }),
        };
        const read: string[] = [];
        const gathering = new Gathering({ question, assume: [] }, objects, () => {});
        await gathering.widen({
          collect: async (wishes) =>
            wishes.map((wish) => {
              read.push(wish.node);
              return { from: wish.node, node: wish.node, ok: true as const, bundle: packed(filesOf(wish)) };
            }),
        });
        const { judgement, causes, fixes } = diagnose(new Askable(gathering.loaded(), []), question);
        const { verdict } = judgement;
        const [code, command] = NAMED[fault] ?? [];
        if (code !== undefined && behaviour(probe) !== "reachable") {
          expect(
            causes.map((c) => `${c.code} ${c.certainty}`),
            probe.id,
          ).toContain(code);
          const fix = fixes.find((f) => f.commands.includes(command!));
          expect(fix?.proof.verdict, probe.id).toBe("reachable");
        }
        expect(verdict, probe.id).toBe(diagnose(askable, question).judgement.verdict);
        if (verdict !== "undetermined") expect(verdict, probe.id).toBe(behaviour(probe));
        expect(read.length, probe.id).toBeGreaterThan(0);
      }
    },
  );
});
