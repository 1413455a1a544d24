import type { BundleKind } from "./kind.ts";
import { antctl, antctlAgent } from "./kinds/antctl.ts";
import { calicoCluster, calicoNode } from "./kinds/calico.ts";
import { ciliumBugtool, ciliumSysdump } from "./kinds/cilium.ts";
import { clusterInfo } from "./kinds/cluster-info.ts";
import { eks } from "./kinds/eks.ts";
import { k8sSnap } from "./kinds/k8s-snap.ts";
import { kubeskoopCollector } from "./kinds/kubeskoop.ts";
import { mustGather } from "./kinds/must-gather.ts";
import { periscope } from "./kinds/periscope.ts";
import { rancher } from "./kinds/rancher.ts";
import { sos } from "./kinds/sos.ts";
import { talos, talosNode } from "./kinds/talos.ts";
import { troubleshoot } from "./kinds/troubleshoot.ts";

/** Where two fit the same folder, the earlier one is taken. */
export const bundleKinds: readonly BundleKind[] = [
  sos,
  eks,
  rancher,
  calicoCluster,
  calicoNode,
  ciliumSysdump,
  ciliumBugtool,
  antctl,
  antctlAgent,
  mustGather,
  k8sSnap,
  clusterInfo,
  periscope,
  talos,
  talosNode,
  kubeskoopCollector,
  troubleshoot,
];
