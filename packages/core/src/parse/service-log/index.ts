import type { Dialect } from "../dialect.ts";
import { claim, printsServiceLog } from "./claim.ts";
import { readServiceLog } from "./read.ts";

export const dialects: readonly Dialect[] = [
  {
    id: "service-log",
    title: "logs of kubelet, kube-proxy, docker, flannel and others",
    printedBy: printsServiceLog,
    claim,
    read: readServiceLog,
  },
];
