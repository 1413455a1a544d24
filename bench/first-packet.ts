import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { serviceAddress } from "./big-node.ts";
import { generateIptablesSave } from "./generate-iptables.ts";

/**
 * Microseconds that the kernel itself needs to take the first packet of a flow through kube-proxy's chains to the last Service: new
 * UDP flows through the loaded rules, less the same through an empty table, in a namespace of its own. Or why it was not measured.
 */
export async function kernelFirstPacket(services: number): Promise<number | string> {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-bench-"));
  const name = `hairpin-bench-${process.pid}`;
  const run = (command: string, args: readonly string[], input?: string) =>
    spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 26, ...(input !== undefined && { input }) });
  const inside = (...words: readonly string[]) => run("ip", ["netns", "exec", name, ...words]);
  try {
    const child = join(folder, "child.mjs");
    const entryPoints = [fileURLToPath(new URL("first-packet-child.ts", import.meta.url))];
    await build({ entryPoints, bundle: true, platform: "node", format: "esm", outfile: child, logLevel: "error" });
    const made = run("ip", ["netns", "add", name]);
    if (made.status !== 0) return made.stderr?.trim() || "no network namespaces here";
    for (const words of [
      "ip link set lo up",
      "ip link add d0 type veth peer name d1",
      "ip addr add 192.168.0.2/24 dev d0",
      "ip link set d0 up",
      "ip link set d1 up",
      "ip route add default dev d0",
      // Whoever gets it is not meant: it ends there.
      `ip neigh add ${serviceAddress(services - 1)} lladdr 02:00:00:00:00:01 dev d0`,
    ]) {
      const done = inside(...words.split(" "));
      if (done.status !== 0) return `${words}: ${done.stderr.trim()}`;
    }
    const address = serviceAddress(services - 1);
    const load = (text: string) => run("ip", ["netns", "exec", name, "iptables-legacy-restore"], text);
    const measure = (): number => {
      const runs = [1, 2, 3].map(() => {
        const done = inside(process.execPath, child, address);
        if (done.status !== 0) throw new Error(done.stderr);
        return (JSON.parse(done.stdout) as { microseconds: number }).microseconds;
      });
      return Math.min(...runs);
    };
    const chains = ["PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"].map((c) => `:${c} ACCEPT [0:0]`);
    load(["*nat", ...chains, "COMMIT", ""].join("\n"));
    const empty = measure();
    const loaded = load(generateIptablesSave({ services, endpoints: 3 }));
    if (loaded.status !== 0) return loaded.stderr?.trim() || "iptables-legacy-restore failed";
    return measure() - empty;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    run("ip", ["netns", "del", name]);
    rmSync(folder, { recursive: true, force: true });
  }
}
