import { type KubernetesService, type Origin, PROXY_CHAIN } from "../model/index.ts";
import { contains, parsePrefix } from "../net/index.ts";
import type { Scene } from "./cause.ts";
import { portNameOf } from "./causes/rules/no-endpoints.ts";
import type { CauseCode } from "./code.ts";

/** The Service object that was asked for, by its addresses or by its NodePort. */
function serviceOf({ world, question }: Scene): KubernetesService | undefined {
  const { to, port, protocol } = question;
  const own = ({ clusterIps, externalIps, loadBalancerIps }: KubernetesService): boolean =>
    [...clusterIps, ...externalIps, ...loadBalancerIps].some((a) => a === to);
  return world.kubernetes.services.find((s) =>
    s.ports.some((p) => p.protocol === protocol && (own(s) ? p.port === port : p.nodePort === port)),
  );
}

const fields = (scene: Scene, ...names: readonly string[]): readonly Origin[] => {
  const origins = serviceOf(scene)?.fieldOrigins ?? {};
  return names.flatMap((name) => origins[name] ?? []);
};

/** The port's own line where there are several. */
const targetPort = (scene: Scene): readonly Origin[] =>
  [`targetPort/${scene.question.port}`, "targetPort"].flatMap((name) => fields(scene, name)).slice(0, 1);

/** The setting by which kube-proxy tells pods from others, where it does not hold the client; else the one that masquerades all. */
function masquerading({ world, branch }: Scene): readonly Origin[] {
  const { src } = branch.request.steps[0]?.packet ?? branch.request.final;
  return world.kubernetes.kubeProxyConfigs.flatMap(({ clusterCidrs, masqueradeAll, fieldOrigins = {} }) => {
    const all = masqueradeAll === true ? fieldOrigins.masqueradeAll : undefined;
    if (all !== undefined) return [all];
    const prefixes = clusterCidrs.flatMap((c) => parsePrefix(c) ?? []);
    const holds = prefixes.some((p) => contains(p, src));
    return holds || fieldOrigins.clusterCIDR === undefined ? [] : [fieldOrigins.clusterCIDR];
  });
}

/** The rule that marked it to be masqueraded: the one that masquerades takes whatever is marked. */
const marking = ({ branch }: Scene): readonly Origin[] =>
  branch.request.steps.flatMap((s) =>
    s.kind === "rule" && s.decision.kind === "jump" && s.decision.chain === PROXY_CHAIN["mark-masq"] ? [s.origin] : [],
  );

/** The other way round: the client is none of the pods, and the setting takes it for one. */
function notMasquerading({ world, branch }: Scene): readonly Origin[] {
  const { src } = branch.request.steps[0]?.packet ?? branch.request.final;
  return world.kubernetes.kubeProxyConfigs.flatMap(({ clusterCidrs, fieldOrigins = {} }) => {
    const prefixes = clusterCidrs.flatMap((c) => parsePrefix(c) ?? []);
    const taken = prefixes.length === 0 || prefixes.some((p) => contains(p, src));
    return !taken || fieldOrigins.clusterCIDR === undefined ? [] : [fieldOrigins.clusterCIDR];
  });
}

const ROOTS: Partial<Readonly<Record<CauseCode, (scene: Scene) => readonly Origin[]>>> = {
  ETP_LOCAL_NO_ENDPOINT_IPTABLES: (scene) => policyOf(scene),
  ETP_LOCAL_NO_ENDPOINT_IPVS: (scene) => policyOf(scene),
  NO_ENDPOINTS: (scene) => (portNameOf(scene) === undefined ? [] : targetPort(scene)),
  LB_SOURCE_RANGES: (scene) => fields(scene, "loadBalancerSourceRanges"),
  TARGET_PORT_MISMATCH: targetPort,
  MASQ_TOO_MUCH: (scene) => [...masquerading(scene), ...marking(scene)],
  MASQ_MISSING_IPVS_HOST: notMasquerading,
  MASQ_MISSING_NODE_TO_POD: notMasquerading,
  MASQ_MISSING_REMOTE_ENDPOINT: notMasquerading,
};

const policyOf = (scene: Scene): readonly Origin[] => {
  const inside = serviceOf(scene)?.clusterIps.some((a) => a === scene.question.to) === true;
  return fields(scene, inside ? "internalTrafficPolicy" : "externalTrafficPolicy");
};

/**
 * The line of an object or of a configuration that decided, before the place of death: a rule that kube-proxy wrote only says what it was
 * told.
 */
export const rootLines = (code: CauseCode, scene: Scene): readonly Origin[] => ROOTS[code]?.(scene) ?? [];
