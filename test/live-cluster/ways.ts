import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { folder, inNode, kubectl, NODES } from "./driver.ts";

/** By which way nodes are read: the suite asks all of its questions by one of them. */
export interface Way {
  /** Puts into the cluster what it takes. */
  readonly install: () => Promise<void>;
  /** What `hairpin live` is told beside the question, and with whose rights it asks. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What it says on the way, whenever it reads a node. */
  readonly says: RegExp;
}

const root = resolve(import.meta.dirname, "../..");
const plain = { args: [], env: {} } as const;
const applied = (manifest: unknown): Promise<string> => {
  const file = join(folder, "way.json");
  writeFileSync(file, JSON.stringify(manifest));
  return kubectl("apply", "-f", file);
};

/** A debugging DaemonSet as people keep one around. */
const TOOLS = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "tools", namespace: "kube-system" },
  spec: {
    selector: { matchLabels: { app: "tools" } },
    template: {
      metadata: { labels: { app: "tools" } },
      spec: {
        hostPID: true,
        containers: [
          {
            name: "tools",
            image: "docker.io/library/busybox:latest",
            imagePullPolicy: "Never",
            command: ["sleep", "1000000"],
            securityContext: { privileged: true },
          },
        ],
      },
    },
  },
};

const DEV = { kind: "User", name: "dev", apiGroup: "rbac.authorization.k8s.io" };
const bound = (kind: "Role" | "ClusterRole", name: string, namespace?: string) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: `${kind}Binding`,
  metadata: { name: `dev-${name}`, ...(namespace === undefined ? {} : { namespace }) },
  roleRef: { apiGroup: DEV.apiGroup, kind, name },
  subjects: [DEV],
});
const devConfig = join(folder, "run/dev.conf");

export const WAYS: Readonly<Record<string, Way>> = {
  "own pod": { ...plain, install: async () => {}, says: /through a pod of Hairpin's own/ },
  // HAIRPIN_CLUSTER_IMAGE: what `npm run image` made.
  agents: {
    ...plain,
    install: async () => {
      for (const node of NODES)
        await inNode(node, `ctr -n k8s.io images import ${process.env.HAIRPIN_CLUSTER_IMAGE} >/dev/null`);
      await kubectl("apply", "-f", join(root, "deploy/agent.yaml"));
      await kubectl("-n", "hairpin", "rollout", "status", "ds/hairpin-agent", "--timeout=120s");
    },
    says: /hairpin\/hairpin-agent-/,
  },
  "a pod that is there": {
    ...plain,
    install: async () => {
      await applied(TOOLS);
      await kubectl("-n", "kube-system", "rollout", "status", "ds/tools", "--timeout=120s");
    },
    says: /kube-system\/tools-/,
  },
  // With the rights of deploy/kubernetes/live-rbac.yaml and no others.
  "few rights": {
    args: ["--pod-namespace", "hairpin"],
    env: { KUBECONFIG: devConfig },
    install: async () => {
      await kubectl("apply", "-f", join(root, "deploy/kubernetes/live-rbac.yaml"));
      await applied({
        apiVersion: "v1",
        kind: "List",
        items: [
          bound("ClusterRole", "hairpin-objects"),
          bound("Role", "hairpin-kube-proxy", "kube-system"),
          bound("Role", "hairpin-nodes", "hairpin"),
        ],
      });
      const admin = readFileSync(join(folder, "run/admin.conf"), "utf8");
      writeFileSync(devConfig, admin.replace(/token: (\S+?)\}/, "token: $1, as: dev}"));
    },
    says: /through a pod of Hairpin's own/,
  },
};
