import { bundled } from "./bundled.ts";
import { kernelFirstPacket } from "./first-packet.ts";

interface Walked {
  readonly services: number;
  readonly first: number;
  readonly none: number;
  readonly lines: number;
  readonly recording: number;
}

const us = (n: number): string => `${n.toFixed(0)} µs`;
const rate = (n: number): string => `${us(n)} (${Math.round(1e6 / n).toLocaleString("en")} a second)`;

/** The whole round trip to the last Service, by how many there are, against the kernel's own first packet through those chains. */
export async function benchWalk(): Promise<void> {
  const rows = await bundled<Walked>(
    "walk-child.ts",
    [100, 1000, 50_000, 10_000].map((n) => [String(n)]),
  );
  console.log("the whole round trip to the last Service, one walk, time of the processor:");
  for (const { services, none, lines, recording, first } of rows)
    console.log(
      `  ${String(services).padStart(6)} Services: null sink ${rate(none)}, lines alone ${rate(lines)}, with steps ${rate(recording)}; the very first answer, cold, ${us(first)}`,
    );
  const last = rows[rows.length - 1]!;
  const most = rows.find((r) => r.services === 50_000)!;
  console.log(
    `  flat in the number of Services: ${(most.none / rows[0]!.none).toFixed(2)} times as long with 500 times as many`,
  );
  for (const mode of ["nftables", "ipvs"] as const) {
    const modes = await bundled<Walked>(
      "walk-child.ts",
      [100, 1000, 10_000].map((n) => [String(n), "1", mode]),
    );
    const each = modes.map((r) => `${us(r.none)} of ${r.services.toLocaleString("en")}`).join(", ");
    console.log(`  kube-proxy's ${mode} mode, null sink, to the last: ${each}`);
  }
  const kernel = await kernelFirstPacket(last.services);
  if (typeof kernel === "string") console.log(`  the kernel's first packet was not measured: ${kernel}`);
  else
    console.log(
      `  the kernel's first packet to the last of ${last.services}: ${us(kernel)}; the null walk takes ${(last.none / kernel).toFixed(2)} times as long`,
    );
}
