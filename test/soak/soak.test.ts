import { type LabBackend, netnsSupport, openNetns, openVm, vmSupport } from "@hairpin/lab/index.ts";
import { generate } from "@hairpin/lab/soak/generate/index.ts";
import { judge } from "@hairpin/lab/soak/judge.ts";
import type { Scenario } from "@hairpin/lab/soak/scenario.ts";
import { shown } from "@hairpin/lab/soak/show.ts";
import { type Mismatch, soak } from "@hairpin/lab/soak/soak.ts";
import { afterAll, describe, expect, test } from "vitest";

/** The fixed share of `npm run soak` that every run of the tests repeats. */
const SEED = 20_262;
const NETNS_SECONDS = 60;
const VM_SECONDS = 60;
const VM_SEED = 20_261;
/** The same Worlds on a fast machine as on a slow one: behind these, docs/fidelity.md lists what differs. */
const NETNS_WORLDS = 150;
const VM_WORLDS = 15;

const open: LabBackend[] = [];
afterAll(() => Promise.all(open.map((backend) => backend.close())));

async function share(
  backend: LabBackend,
  seconds: number,
  ipvs: boolean,
  part: { readonly seed: number; readonly worlds: number } = { seed: SEED, worlds: NETNS_WORLDS },
) {
  open.push(backend);
  const found: Mismatch[] = [];
  const summary = await soak([backend], {
    ...part,
    milliseconds: seconds * 1000,
    ipvs,
    shrink: false,
    onMismatch: (one) => {
      found.push(one);
    },
  });
  expect(found.map(shown)).toEqual([]);
  expect(summary.worlds).toBeGreaterThan(0);
  console.log(
    `soak on ${backend.profile.kernel}: seed ${part.seed}, ${summary.worlds} worlds, ${summary.packets} packets, ${summary.hooks} hooks, ${summary.skipped} skipped`,
  );
}

test("the same seed draws the same Worlds and packets", () => {
  const draw = (seed: number, n: number) => {
    const { world, steps } = generate(seed, n, { kernel: "6.1.0", ipvs: true });
    const plain = (_: string, value: unknown) => (value instanceof Map ? [...value] : value);
    return JSON.stringify([world, steps], plain);
  };
  expect(draw(1, 5)).toBe(draw(1, 5));
  expect(draw(1, 5)).not.toBe(draw(1, 6));
  expect(draw(1, 5)).not.toBe(draw(2, 5));
});

const netns = netnsSupport();
if (!netns.usable) console.warn(`SKIPPED: soak on the running kernel: ${netns.reasons.join("; ")}`);
describe.skipIf(!netns.usable)("on the running kernel", () => {
  test(
    "the walk and the kernel agree on random Worlds",
    async () => share(await openNetns(), NETNS_SECONDS, false),
    (NETNS_SECONDS + 60) * 1000,
  );

  test("a World that the walk is told wrongly is caught", async () => {
    const backend = await openNetns();
    open.push(backend);
    const kernel = backend.profile.kernel;
    let caught = 0;
    for (let n = 0; n < 12; n++) {
      const scenario = generate(SEED, n, { kernel, ipvs: false });
      const { kind } = await judge(backend, scenario, unforwarding(scenario));
      if (kind === "differs") caught++;
    }
    expect(caught).toBeGreaterThan(5);
  }, 60_000);
});

/** The same, but for the walk no node forwards. */
const unforwarding = (scenario: Scenario): Scenario => ({
  ...scenario,
  world: {
    ...scenario.world,
    stacks: scenario.world.stacks.map((s) => ({
      ...s,
      sysctls: new Map([...s.sysctls].map(([k, e]) => [k, /forward/.test(k) ? { ...e, value: "0" } : e])),
    })),
  },
});

const vm = vmSupport();
if (!vm.usable) console.warn(`SKIPPED: soak in the VM: ${vm.reasons.join("; ")}`);
describe.skipIf(!vm.usable)("in the VM, with IPVS", () => {
  test(
    "the walk and the kernel agree on random Worlds",
    async ({ skip }) => {
      const backend = await openVm().catch((problem: Error) => {
        console.warn(`SKIPPED: soak in the VM: ${problem.message}`);
        return undefined;
      });
      if (backend === undefined) return skip("the VM does not boot here");
      await share(backend, VM_SECONDS, true, { seed: VM_SEED, worlds: VM_WORLDS });
    },
    (VM_SECONDS + 240) * 1000,
  );
});
