import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fc } from "@hairpin/testing/property.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addressesOf,
  behaviour,
  bringUp,
  does,
  KUBE_BIN,
  live,
  liveCutOff,
  questionOf,
  takeDown,
  tried,
} from "./driver.ts";
import { FAULTS, FORGOTTEN } from "./faults.ts";
import { leftAfter } from "./leftovers.ts";
import { EVERY_SERVICE, type Probe } from "./probes.ts";
import { WAYS } from "./ways.ts";

interface Answered {
  readonly mode: string;
  readonly situation: string;
  readonly probe: string;
  readonly question: string;
  readonly real: string;
  readonly seen: Readonly<Record<string, number>>;
  readonly verdict: string;
  readonly causes: readonly string[];
  /** What it hangs on, where it is undetermined. */
  readonly restsOn: readonly string[];
  readonly seconds: number;
  readonly times: string;
}
interface Told {
  readonly verdict: string;
  readonly causes: readonly { readonly code: string; readonly certainty: string }[];
  readonly restsOn: readonly { readonly id: string }[];
}
interface Killed {
  readonly mode: string;
  readonly signal: Interruption;
  readonly after: number;
  readonly left: readonly string[];
}

type Interruption = "SIGINT" | "SIGTERM" | "SIGKILL" | "lost connection";

const MODES = (process.env.HAIRPIN_CLUSTER_MODES ?? "iptables nftables").split(" ");
/** Of the situations those that it matches. */
const ONLY = process.env.HAIRPIN_CLUSTER_ONLY;
const isAsked = (situation: string): boolean => ONLY === undefined || new RegExp(ONLY).test(situation);
const WAY = process.env.HAIRPIN_CLUSTER_WAY ?? "own pod";
const way = WAYS[WAY]!;
/** A folder in which every answer's bundle is kept. */
const KEEP = process.env.HAIRPIN_CLUSTER_KEEP;
const HEALTHY = "nothing is wrong";
const TIMEOUT = { timeout: 1_800_000 };
/** The machine has few cores: more at a time make each slower. */
const WIDTH = Number(process.env.HAIRPIN_CLUSTER_WIDTH ?? 2);
const answers: Answered[] = [];
const kills: Killed[] = [];

/** As far as it came, so that a run that is cut short tells as well. */
function noted(): void {
  const report = process.env.HAIRPIN_CLUSTER_REPORT;
  if (report === undefined) return;
  mkdirSync(dirname(report), { recursive: true });
  writeFileSync(report, `${JSON.stringify({ answers, kills }, null, 1)}\n`);
}

function kept(mode: string, situation: string, { id }: Probe): readonly string[] {
  if (KEEP === undefined) return [];
  mkdirSync(KEEP, { recursive: true });
  return ["--keep", join(KEEP, `${[mode, situation, id].join("--").replace(/[^A-Za-z0-9-]+/g, "-")}.tar.gz`)];
}

async function asked(mode: string, situation: string, probes: readonly Probe[]): Promise<readonly Answered[]> {
  const addresses = await addressesOf();
  const told = new Map<Probe, Omit<Answered, "real" | "seen">>();
  const waiting = [...probes];
  const worker = async () => {
    for (let probe = waiting.shift(); probe !== undefined; probe = waiting.shift()) {
      const question = questionOf(probe, addresses);
      const began = performance.now();
      const { status, out, err } = await live([...question, ...way.args, "--json", ...kept(mode, situation, probe)], {
        more: way.env,
      });
      const seconds = Math.round((performance.now() - began) / 100) / 10;
      if (!out.startsWith("{")) throw new Error(`${situation}, ${probe.id}: ${status}: ${err}`);
      const { verdict, causes, restsOn } = JSON.parse(out) as Told;
      // One that was not read by the way that is tried says nothing of it.
      if (!way.says.test(err)) throw new Error(`${situation}, ${probe.id}: not by ${WAY}: ${err}`);
      const times = /^objects .*$/m.exec(err)?.[0] ?? "";
      told.set(probe, {
        mode,
        situation,
        probe: probe.id,
        question: question.join(" "),
        verdict,
        causes: causes.map((c) => `${c.code} ${c.certainty}`),
        restsOn: verdict === "undetermined" ? restsOn.map((fact) => fact.id) : [],
        seconds,
        times,
      });
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
  // Tried after all was asked: what is known of a connection must not come from our own try.
  const done: Answered[] = [];
  for (const probe of probes) {
    const seen = await tried(probe, addresses);
    done.push({ ...told.get(probe)!, real: behaviour(seen), seen: Object.fromEntries(seen) });
  }
  answers.push(...done);
  noted();
  return done;
}

const wrong = (done: readonly Answered[]) => done.filter((d) => d.verdict !== "undetermined" && d.verdict !== d.real);
const open = (done: readonly Answered[], probes: readonly Probe[]) =>
  done.filter((d) => d.verdict === "undetermined" && probes.find((p) => p.id === d.probe)?.open === undefined);

/** Where KUBE_BIN names the programs of a release; everywhere else this is skipped, and test/may-skip.json says so. */
describe.skipIf(KUBE_BIN === "")("a real cluster", () => {
  describe.each(MODES)("kube-proxy in mode %s", (mode) => {
    beforeAll(async () => {
      await bringUp(mode);
      await way.install();
    }, 600_000);
    afterAll(async () => {
      if (process.env.HAIRPIN_CLUSTER_STAY === undefined) await takeDown();
    }, 120_000);

    test.skipIf(!isAsked(HEALTHY))(HEALTHY, TIMEOUT, async () => {
      const done = await asked(mode, HEALTHY, EVERY_SERVICE);
      expect(wrong(done)).toEqual([]);
      expect(open(done, EVERY_SERVICE)).toEqual([]);
      expect(await leftAfter(20)).toEqual([]);
    });

    const faults = FAULTS.filter((f) => f.modes?.includes(mode) !== false && isAsked(f.name));
    test.each(faults.map((f) => [f.name, f] as const))("%s", TIMEOUT, async (name, fault) => {
      await does(fault.plant);
      let done: readonly Answered[];
      try {
        done = await asked(mode, name, fault.probes);
      } finally {
        await does(fault.undo);
        await does(FORGOTTEN);
      }
      expect(wrong(done)).toEqual([]);
      expect(open(done, fault.probes)).toEqual([]);
      const blamed = done.filter((d) => d.real !== "reachable" && d.verdict !== "undetermined");
      const named = (d: Answered) => fault.causes.some((code) => d.causes.some((c) => c.startsWith(`${code} `)));
      // A fault that harms nothing was not planted.
      if (fault.causes.length > 0) expect(done.filter((d) => d.real !== "reachable").length).toBeGreaterThan(0);
      expect(blamed.filter((d) => !named(d))).toEqual([]);
      expect(await leftAfter(20)).toEqual([]);
    });

    test.skipIf(ONLY !== undefined || WAY !== "own pod")(
      "killed at twenty moments, nothing stays",
      TIMEOUT,
      async () => {
        const question = ["pod/shop/client-a", "svc/shop/one:80"];
        const began = performance.now();
        await live(question);
        const usual = performance.now() - began;
        const moments = fc.sample(
          fc.tuple(
            fc.constantFrom<Interruption>("SIGINT", "SIGTERM", "SIGKILL", "lost connection"),
            // Every moment is as likely as any other: by itself fast-check prefers the ends.
            fc.noBias(fc.integer({ min: 0, max: 1000 })),
          ),
          20,
        );
        for (const [signal, part] of moments) {
          const after = Math.round((part / 1000) * usual);
          if (signal === "lost connection") await liveCutOff(question, after);
          else await live(question, { started: (kill) => setTimeout(() => kill(signal), after) });
          // Who is killed outright, or cut off, clears up nothing: the next one does.
          if (signal === "SIGKILL" || signal === "lost connection") await live(question);
          const left = await leftAfter(20);
          kills.push({ mode, signal, after, left });
          noted();
        }
        expect(kills.filter((k) => k.mode === mode && k.left.length > 0)).toEqual([]);
      },
    );
  });
});
