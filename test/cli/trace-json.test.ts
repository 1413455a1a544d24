import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable, branchesJson } from "../../packages/core/src/diagnose/index.ts";

const folder = (name: string): string =>
  fileURLToPath(new URL(`../../packages/lab/conformance/${name}`, import.meta.url));

const branches = (name: string): readonly unknown[] => {
  const askable = new Askable(loadCase([folder(name)]), []);
  return branchesJson(askable.ask({}).exploration.branches).branches;
};

test("trace --json says which error the system call gave", () => {
  expect(branches("bind-foreign-address")).toMatchObject([{ clientSees: "unreachable", errno: "EADDRNOTAVAIL" }]);
});

test("trace --json lists what the walk took for granted", () => {
  const assumptions = expect.arrayContaining([expect.stringContaining("ip_nonlocal_bind")]);
  expect(branches("bind-foreign-address")).toMatchObject([{ assumptions }]);
});

test("trace --json tells fragments apart", () => {
  const fragment = { offset: 1480, more: true };
  const steps = expect.arrayContaining([expect.objectContaining({ packet: expect.objectContaining({ fragment }) })]);
  expect(branches("fragments-udp")).toMatchObject([{ request: { steps } }]);
});
