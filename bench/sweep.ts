import { bundled } from "./bundled.ts";
import type { OneNode } from "./second-snapshot.ts";
import type { SweptOnce } from "./sweep-child.ts";

const MODES = ["iptables", "ipvs", "nftables"] as const;

/** What else clusters have, in kube-proxy's default mode. */
const KINDS = ["balanced", "unconfigured", "cilium"] as const;

/** Objects of a large cluster and nothing else: in every mode of kube-proxy, then as clusters are. */
export async function benchSweep(): Promise<void> {
  const size = [process.env.HAIRPIN_NODES ?? "5000", process.env.HAIRPIN_SERVICES ?? "10000"];
  const asked = [...MODES.map((mode) => [mode, "plain"] as const), ...KINDS.map((kind) => ["iptables", kind] as const)];
  const done = await bundled<SweptOnce>(
    "./sweep-child.ts",
    asked.map(([mode, kind]) => ["objects", mode, ...size, kind]),
  );
  for (const [i, what] of asked.entries())
    console.log(told(`sweep of objects, ${size.join(" nodes × ")} Services, ${what.join(", ")}`, done[i]!));
}

/** Dumps of many nodes with twelve things wrong in them, to the end: what is found is printed. */
export async function benchPlanted(): Promise<void> {
  const [found] = await bundled<SweptOnce>("./sweep-child.ts", [["planted", process.env.HAIRPIN_NODES ?? "200"]]);
  console.log(told("sweep of dumps with 12 faults", found!));
  for (const cause of found!.causes) console.log(`  ${cause}`);
  const { lacking, beside } = found!;
  console.log(
    `  not found: ${lacking.join(", ") || "nothing"}; claimed beside what was planted: ${beside.join(", ") || "nothing"}`,
  );
  if (lacking.length > 0 || beside.length > 0) process.exitCode = 1;
}

/** Two snapshots that differ in the dump of one node: what the second takes. */
export async function benchOneNode(): Promise<void> {
  const nodes = process.env.HAIRPIN_NODES ?? "200";
  const faults = ["kubelet-down", "service-not-programmed"];
  const done = await bundled<OneNode>(
    "./one-node-child.ts",
    faults.map((fault) => [nodes, fault]),
  );
  for (const [i, fault] of faults.entries()) {
    const { flows, changed, walks, reading, readingAgain, before, after, beside, memory } = done[i]!;
    console.log(
      `sweep A B, ${nodes} nodes, ${fault} on one of B: ${flows} flows, ${changed} fare otherwise; reading A ${reading.toFixed(1)} s, B ${readingAgain.toFixed(2)} s; A ${before.toFixed(1)} s (${walks.before} walks), B ${after.toFixed(2)} s (${walks.after} walks), laid beside each other ${beside.toFixed(2)} s of the processor; ${memory} MB`,
    );
  }
}

const told = (what: string, { flows, answered, classes, walks, reading, sweeping, memory }: SweptOnce): string =>
  `${what}: ${answered} of ${flows} flows, ${classes} classes, ${walks} walks; reading ${reading.toFixed(1)} s, sweeping ${sweeping.toFixed(1)} s of the processor; ${memory} MB`;
