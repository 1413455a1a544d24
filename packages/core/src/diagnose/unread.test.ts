import { loadedCase } from "@hairpin/case/index.ts";
import { afterEach, expect, test, vi } from "vitest";
import { bigNodeFiles, serviceAddress } from "../../../../bench/big-node.ts";
import { LazyTable } from "../parse/iptables/lazy/lazy-table.ts";
import { ScannedTable } from "../parse/iptables/lazy/scanned-table.ts";
import { Askable, diagnose } from "./index.ts";

afterEach(() => vi.restoreAllMocks());

/** Large enough to be read lazily (200 kB). */
const SERVICES = 300;

test("a diagnosis reads the chains that its packet comes by, and not those of the other Services", () => {
  const read = vi.spyOn(LazyTable.prototype, "readAll");
  const made = vi.spyOn(ScannedTable.prototype, "linesOf");
  const inputs = Object.entries(bigNodeFiles(SERVICES)).map(([path, text]) => ({ path, text }));
  const askable = new Askable(loadedCase({ inputs, notes: [] }), []);
  const { judgement } = diagnose(askable, { from: "node/node", to: `${serviceAddress(SERVICES - 1)}:80` });
  expect(judgement.verdict).toBeDefined();
  const chains = new Set(read.mock.calls.map(([lines]) => lines.name));
  expect(chains.size).toBeGreaterThan(3);
  expect(chains.size).toBeLessThan(SERVICES / 10);
  // Of the chains that it does not come by there is not even a record, but for the first few.
  expect(new Set(made.mock.calls.map(([place]) => place)).size).toBeLessThan(SERVICES / 3);
});

test("what a refusal could come from is looked for in the chains that may say it", () => {
  const read = vi.spyOn(LazyTable.prototype, "readAll");
  const heard = "State  Recv-Q Send-Q Local Address:Port Peer Address:Port Process\nLISTEN 0 4096 *:22 *:*\n";
  const inputs = Object.entries({ ...bigNodeFiles(SERVICES), "ss-lntp.txt": heard }).map(([path, text]) => ({
    path,
    text,
  }));
  const askable = new Askable(loadedCase({ inputs, notes: [] }), []);
  const { causes } = diagnose(askable, { from: "node/node", to: "192.168.0.2:10250" });
  expect(causes.map((c) => c.code)).toContain("NO_LISTENER");
  expect(new Set(read.mock.calls.map(([lines]) => lines.name)).size).toBeLessThan(SERVICES / 10);
});
