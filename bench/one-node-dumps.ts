import { cpSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { dumpCluster } from "@hairpin/testing/dumped/cluster.ts";
import { bundled } from "./bundled.ts";
import type { OneNode } from "./second-snapshot.ts";

const NODES = Number(process.env.HAIRPIN_NODES ?? 20);
const SERVICES = Number(process.env.HAIRPIN_SERVICES ?? 2000);

/** What is otherwise on one node, by the file that says it. */
const CHANGES: Readonly<Record<string, readonly [string, (text: string) => string]>> = {
  "kubelet-down": ["ss-lntp.txt", (text) => text.replace(/^LISTEN .*:10250 .*\n/m, "")],
  "service-not-programmed": [
    "iptables-save.txt",
    (text) => text.replace(/^-A KUBE-SERVICES -d \S+ .*team-00777:http cluster IP.*\n/m, ""),
  ],
};

/** Two snapshots of a large cluster that differ in the dump of one node, and no objects: what the second takes. */
export async function benchOneNodeDumps(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-bench-"));
  try {
    const first = join(folder, "before");
    const given = { nodes: NODES, pods: 20, services: SERVICES, endpoints: 3, local: 10 };
    for (const { path, text } of dumpCluster(given, false)) {
      const file = join(first, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const node = `node-${Math.floor(NODES / 2)}`;
    const seconds = Object.entries(CHANGES).map(([name, [file, change]]) => {
      const second = join(folder, name);
      for (const other of readdirSync(join(first, "nodes"))) {
        const [from, to] = [join(first, "nodes", other), join(second, "nodes", other)];
        mkdirSync(to, { recursive: true });
        if (other === node) cpSync(from, to, { recursive: true });
        else for (const dump of readdirSync(from)) linkSync(join(from, dump), join(to, dump));
      }
      const changed = join(second, "nodes", node, file);
      writeFileSync(changed, change(readFileSync(changed, "utf8")));
      return [first, second];
    });
    const done = await bundled<OneNode>("./one-node-dumps-child.ts", seconds, "cjs");
    for (const [i, name] of Object.keys(CHANGES).entries()) {
      const { flows, changed, walks, reading, readingAgain, before, after, beside, memory } = done[i]!;
      console.log(
        `sweep A B of dumps, ${NODES} nodes × ${SERVICES} Services, ${name} on one of B: ${flows} flows, ${changed} fare otherwise; reading A ${reading.toFixed(1)} s, B ${readingAgain.toFixed(2)} s; A ${before.toFixed(1)} s (${walks.before} walks), B ${after.toFixed(2)} s (${walks.after} walks), laid beside each other ${beside.toFixed(2)} s of the processor; ${memory} MB`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
