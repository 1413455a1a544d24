import { text } from "../../messages/index.ts";
import type { Cause } from "../cause.ts";
import { martianOf } from "./martian-local-source.ts";

/** An address that kube-proxy bound on its dummy device is somebody else's, who sends from it. */
export const kubeIpvs0AddrConflict: Cause = {
  codes: ["KUBE_IPVS0_ADDR_CONFLICT"],
  detect: (scene) => {
    const martian = martianOf(scene);
    if (martian?.holder?.kind !== "dummy" || scene.direction !== "request") return [];
    const { source: address, holder, evidence } = martian;
    const summary = text("cause.kube_ipvs0_addr_conflict", { address, device: holder.name });
    return [{ code: "KUBE_IPVS0_ADDR_CONFLICT", summary, stack: scene.leg.stack, evidence, root: true }];
  },
};
