import { assemble } from "../packages/core/src/assemble/index.ts";
import type { World } from "../packages/core/src/model/index.ts";
import { readCase } from "../packages/core/src/parse/index.ts";
import { type Question, resolveQuestion, trace } from "../packages/core/src/trace/index.ts";
import { generateIptablesSave } from "./generate-iptables.ts";

const SERVICES = 10_000;
const ENDPOINTS = 3;

const ADDRESSES = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP group default qlen 1000
    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet 192.168.0.2/24 brd 192.168.0.255 scope global eth0
       valid_lft forever preferred_lft forever
`;
const ROUTES = `default via 192.168.0.1 dev eth0
192.168.0.0/24 dev eth0 proto kernel scope link src 192.168.0.2
`;
const SYSCTLS = `net.ipv4.ip_forward = 1
net.ipv4.conf.all.rp_filter = 0
net.ipv4.conf.default.rp_filter = 0
net.ipv4.conf.eth0.rp_filter = 0
net.ipv4.conf.lo.rp_filter = 0
`;

/** The node of the measurements, and the last of its Services. */
export function bigNode(services = SERVICES): { readonly world: World; readonly to: string } {
  const iptables = generateIptablesSave({ services, endpoints: ENDPOINTS });
  const files = {
    "iptables-save.txt": iptables,
    "ip-addr.txt": ADDRESSES,
    "ip-route.txt": ROUTES,
    "sysctl.txt": SYSCTLS,
  };
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  const { world } = assemble(readCase(inputs));
  const last = services + 9;
  return { world, to: `10.${96 + (last >> 16)}.${(last >> 8) & 255}.${last & 255}:80` };
}

/** Walks a second: every branch of every exploration is one. */
function measure(world: World, question: Question, sink: "recording" | "null", seconds = 2): number {
  const options = { record: sink === "recording" };
  for (let i = 0; i < 150; i++) trace(world, question, options);
  let walks = 0;
  const start = process.cpuUsage();
  const spent = (): number => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  };
  // Time of the processor, not of the clock: others may work on this machine.
  while (spent() < seconds) walks += trace(world, question, options).runs ?? 1;
  return walks / spent();
}

export async function benchWalk(): Promise<void> {
  const { world, to } = bigNode();
  const resolved = resolveQuestion(world, { from: "node/node", to });
  if (resolved.ok !== true) throw new Error(JSON.stringify(resolved));
  const once = trace(resolved.world, resolved.question);
  const sees = new Set(once.branches.map((b) => b.clientSees));
  const recording = measure(resolved.world, resolved.question, "recording");
  const none = measure(resolved.world, resolved.question, "null");
  console.log(`walks to the last of ${SERVICES} Services (the whole round trip, ${[...sees].join(", ")}):`);
  console.log(`  recording sink  ${recording.toFixed(0)} a second`);
  console.log(`  null sink       ${none.toFixed(0)} a second, ${(none / recording).toFixed(1)} times as many`);
}
