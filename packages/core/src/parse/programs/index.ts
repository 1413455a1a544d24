import type { Dialect } from "../dialect.ts";
import { claimBpftoolCgroup, readBpftoolCgroup } from "./bpftool-cgroup.ts";
import { claimBpftoolNet, readBpftoolNet } from "./bpftool-net.ts";
import { readCalicoBpf } from "./calico-bpf.ts";
import { claimCiliumServices, readCiliumServices } from "./cilium-services.ts";
import { claimCiliumStatus, readCiliumStatus } from "./cilium-status.ts";
import { claimOpenVswitch, readOpenVswitch } from "./open-vswitch.ts";
import { claimTcFilter, readTcFilter } from "./tc-filter.ts";

const tool = (words: readonly string[]): string => words[0]?.replace(/^.*\//, "") ?? "";
const isCilium = (words: readonly string[]): boolean => /^cilium(?:-dbg|-agent)?$/.test(tool(words));
const bpftool = (words: readonly string[], object: string): boolean =>
  tool(words) === "bpftool" && words.slice(1).find((w) => !w.startsWith("-")) === object;

/** Programs and switches that take packets off the way that is walked: what they hold is read, what they do is not. */
export const dialects: readonly Dialect[] = [
  {
    id: "bpftool-net",
    title: "bpftool net",
    printedBy: (w) => bpftool(w, "net"),
    claim: claimBpftoolNet,
    read: readBpftoolNet,
  },
  {
    id: "bpftool-cgroup",
    title: "bpftool cgroup tree",
    printedBy: (w) => bpftool(w, "cgroup"),
    claim: claimBpftoolCgroup,
    read: (source) => readBpftoolCgroup(source),
  },
  {
    id: "tc-filter",
    title: "tc filter show",
    printedBy: (w) => tool(w) === "tc" && w.includes("filter"),
    claim: claimTcFilter,
    read: readTcFilter,
  },
  {
    id: "cilium-status",
    title: "cilium-dbg status",
    printedBy: (w) => isCilium(w) && w[1] === "status",
    claim: claimCiliumStatus,
    read: (source) => readCiliumStatus(source),
  },
  {
    id: "cilium-services",
    title: "cilium-dbg service list, bpf lb list",
    printedBy: (w) => isCilium(w) && (w[1] === "service" || (w[1] === "bpf" && w[2] === "lb")),
    claim: claimCiliumServices,
    read: (source) => readCiliumServices(source),
  },
  {
    id: "open-vswitch",
    title: "ovs-vsctl show, ovs-ofctl show, dump-flows",
    printedBy: (w) => /^ovs-(?:vsctl|ofctl|dpctl)$/.test(tool(w)),
    claim: claimOpenVswitch,
    read: readOpenVswitch,
  },
  {
    id: "calico-bpf",
    title: "calico-node -bpf",
    printedBy: (w) => tool(w) === "calico-node" && w.includes("-bpf"),
    claim: () => "no",
    read: (source) => readCalicoBpf(source),
  },
];
