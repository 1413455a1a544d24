import { benchAnswers } from "./answers.ts";
import { benchConntrack } from "./conntrack.ts";
import { benchDumps, benchNetworks } from "./dumps.ts";
import { benchIpset } from "./ipset.ts";
import { benchIptablesSave } from "./iptables-save.ts";
import { benchKubeProxy } from "./kube-proxy.ts";
import { benchKubernetes } from "./kubernetes.ts";
import { benchNft } from "./nft.ts";
import { benchOneNodeDumps } from "./one-node-dumps.ts";
import { benchSosReport } from "./sos-report.ts";
import { benchOneNode, benchPlanted, benchSweep } from "./sweep.ts";
import { benchWalk } from "./walk.ts";

/** Minutes, and gigabytes of disk. */
const ONLY_NAMED: readonly string[] = ["sos-report", "networks", "dumps", "one-node-dumps"];

/** `npm run bench [NAME…]`: all measurements but the long ones, or those named. Each prints ratios taken in this run. */
const benches: Readonly<Record<string, () => Promise<void>>> = {
  "iptables-save": benchIptablesSave,
  nft: benchNft,
  ipset: benchIpset,
  conntrack: benchConntrack,
  kubernetes: benchKubernetes,
  "kube-proxy": benchKubeProxy,
  answers: benchAnswers,
  walk: benchWalk,
  sweep: benchSweep,
  planted: benchPlanted,
  "one-node": benchOneNode,
  "one-node-dumps": benchOneNodeDumps,
  "sos-report": benchSosReport,
  networks: benchNetworks,
  dumps: benchDumps,
};

const wanted = process.argv.slice(2);
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.includes(name) || (wanted.length === 0 && !ONLY_NAMED.includes(name))) await bench();
}
