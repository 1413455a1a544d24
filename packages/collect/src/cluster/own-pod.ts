import { randomBytes } from "node:crypto";
import { lastWords } from "../gathered.ts";
import type { Start } from "./images.ts";
import type { Kubectl } from "./kubectl.ts";
import { OWNER_LABEL, ownerHere } from "./owner.ts";

export interface OwnPod {
  readonly namespace: string;
  readonly name: string;
}

export interface PodWish {
  readonly node: string;
  readonly architecture: string;
  readonly start: Start;
  /** It ends by itself after this many seconds, whatever becomes of us. */
  readonly lives: number;
}

/** Where the node's own programs and the loader they name are found, on systems whose /lib is /usr/lib. */
const hostFolders = (architecture: string): readonly (readonly [string, string, string])[] => [
  ["usr", "/usr", "/usr"],
  ["lib", "/usr/lib", "/lib"],
  ...(architecture === "amd64" ? [["lib64", "/usr/lib64", "/lib64"] as const] : []),
];

/**
 * It waits, and when it is told to end it ends the script that reads the node (`collect.sh --run NAME`): the runtime would kill that
 * without a word, and its files would stay on the node. Anybody on the node may make a folder of that name in /tmp: only root's own is
 * obeyed, and of what stands in it only the number of one process.
 */
const waits = (name: string, lives: number): string => `own() { [ -d "$1" ] && [ ! -L "$1" ] && [ -O "$1" ]; }
ends() {
  kill "$!" 2>/dev/null
  for d in /tmp/hairpin.${name}.*; do
    own "$d" || continue
    pid=
    read -r pid <"$d/shell"
    case $pid in '' | 0* | 1 | *[!0-9]*) ;; *) kill "$pid" ;; esac
  done 2>/dev/null
  for i in 1 2 3 4 5 6 7 8 9 10; do
    left=
    for d in /tmp/hairpin.${name}.*; do if own "$d"; then left=yes; fi; done
    [ -n "$left" ] || exit 0
    sleep 0.2
  done
  for d in /tmp/hairpin.${name}.*; do if own "$d"; then rm -rf "$d"; fi; done
  exit 0
}
trap ends TERM INT HUP
sleep ${lives} &
wait "$!"
ends`;

/**
 * As `kubectl debug node/… --profile=sysadmin` makes it, which can neither label its pod nor end it: with the node's namespaces and its
 * file system at /host, known as ours from its first moment, and over by itself.
 */
export function podManifest(name: string, { node, architecture, start, lives }: PodWish): object {
  const folders = start.programs === "host" ? hostFolders(architecture) : [];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { "app.kubernetes.io/managed-by": "hairpin", [OWNER_LABEL]: ownerHere() } },
    spec: {
      nodeName: node,
      hostPID: true,
      hostNetwork: true,
      restartPolicy: "Never",
      activeDeadlineSeconds: lives + 15,
      terminationGracePeriodSeconds: 5,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      tolerations: [{ operator: "Exists" }],
      containers: [
        {
          name: "node",
          image: start.image,
          imagePullPolicy: start.pull,
          command: ["chroot", "/host", "sh", "-c", waits(name, lives)],
          securityContext: { privileged: true, runAsUser: 0, runAsGroup: 0 },
          volumeMounts: [
            { name: "host", mountPath: "/host" },
            ...folders.map(([volume, , mountPath]) => ({ name: volume, mountPath, readOnly: true })),
          ],
        },
      ],
      volumes: [
        { name: "host", hostPath: { path: "/" } },
        // A folder that is not there must not be made: the pod fails instead, and the next way is tried.
        ...folders.map(([volume, path]) => ({ name: volume, hostPath: { path, type: "Directory" } })),
      ],
    },
  };
}

const STATE =
  '{.status.phase} {.status.containerStatuses[0].state.waiting.reason} {.status.containerStatuses[0].state.terminated.reason}{"\\n"}';
/** States of which nothing comes. */
const HOPELESS =
  /^(?:ErrImageNeverPull|ErrImagePull|ImagePullBackOff|ImageInspectError|InvalidImageName|RegistryUnavailable|CreateContainerConfigError|CreateContainerError|RunContainerError|CrashLoopBackOff|StartError|ContainerCannotRun|Error|Failed|Succeeded|Completed)$/;
const STARTS_WITHIN = 15;

/** Makes it and waits until it runs; `made` is told its name before anything is asked, so that it can be removed whatever happens. */
export async function startPod(
  kubectl: Kubectl,
  namespaces: readonly string[],
  wish: PodWish,
  made: (pod: OwnPod) => void,
): Promise<OwnPod | string> {
  let refused = "";
  for (const namespace of namespaces) {
    const pod = { namespace, name: `hairpin-${randomBytes(5).toString("hex")}` };
    made(pod);
    // Not cut short when we are interrupted: a request on its way can only be taken back once it has arrived.
    const created = await kubectl(["create", "-n", namespace, "-f", "-"], {
      input: JSON.stringify(podManifest(pod.name, wish)),
      seconds: 20,
      clearsUp: true,
      unlessStopped: true,
    });
    if (created.status === 0) return runs(kubectl, pod);
    refused = lastWords(created.err);
  }
  return refused;
}

async function runs(kubectl: Kubectl, pod: OwnPod): Promise<OwnPod | string> {
  let state = "";
  const args = ["get", "pod", pod.name, "-n", pod.namespace, "--watch", "-o", `jsonpath=${STATE}`];
  const { err } = await kubectl(args, {
    seconds: STARTS_WITHIN,
    until: (line) => {
      const [phase = "", ...reasons] = line.trim().split(/\s+/);
      state = [phase, ...reasons].join(" ");
      return phase === "Running" || [phase, ...reasons].some((r) => HOPELESS.test(r));
    },
  });
  if (state === "Running") return pod;
  return state === "" ? lastWords(err) : state;
}

/** Without waiting for the node to do it. */
export async function removePods(kubectl: Kubectl, pods: readonly OwnPod[]): Promise<void> {
  const namespaces = [...new Set(pods.map((p) => p.namespace))];
  await Promise.all(
    namespaces.map((namespace) => {
      const names = pods.filter((p) => p.namespace === namespace).map((p) => p.name);
      return kubectl(["delete", "pod", ...names, "-n", namespace, "--wait=false", "--ignore-not-found"], {
        seconds: 30,
        clearsUp: true,
      });
    }),
  );
}
