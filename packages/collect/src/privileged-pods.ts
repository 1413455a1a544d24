import { run } from "./run.ts";

/** A container on a node that may see the node's network: with the node's processes in sight, all of the node. */
export interface PrivilegedContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly hostPid: boolean;
}

/** Only names and three settings are asked for: a Pod's object holds environments and command lines. */
const COLUMNS =
  '{range .items[*]}{.metadata.namespace}{"\\t"}{.metadata.name}{"\\t"}{.spec.hostPID}{"\\t"}{.spec.hostNetwork}' +
  '{range .spec.containers[*]}{"\\t"}{.name}={.securityContext.privileged}{end}{"\\n"}{end}';

/** What Kubernetes allows: no dash at its head. */
export const OBJECT_NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;

/** Running containers of a node that are privileged and in its network, those with its processes first. */
export async function privilegedContainers(
  node: string,
  globals: readonly string[] = [],
): Promise<readonly PrivilegedContainer[]> {
  const selector = `--field-selector=spec.nodeName=${node},status.phase=Running`;
  const { status, out } = await run(
    "kubectl",
    [...globals, "get", "pods", "-A", selector, "-o", `jsonpath=${COLUMNS}`],
    { seconds: 60 },
  );
  if (status !== 0) return [];
  const found = out
    .toString("utf8")
    .split("\n")
    .flatMap((line): readonly PrivilegedContainer[] => {
      const [namespace = "", pod = "", hostPid, hostNetwork, ...containers] = line.split("\t");
      if (!OBJECT_NAME.test(namespace) || !OBJECT_NAME.test(pod) || (hostNetwork !== "true" && hostPid !== "true"))
        return [];
      return containers.flatMap((c) => {
        const [container = "", privileged] = c.split("=");
        return privileged === "true" && OBJECT_NAME.test(container) && (hostNetwork === "true" || hostPid === "true")
          ? [{ namespace, pod, container, hostPid: hostPid === "true" }]
          : [];
      });
    });
  return found.sort((a, b) => Number(b.hostPid) - Number(a.hostPid));
}
