import { commandsOf } from "./shell-words.ts";

/** A command with what it was wrapped in taken off: in which namespace and on which machine it ran. */
export interface Unwrapped {
  readonly words: readonly string[];
  /** Another machine: ssh, a kind node, a debug shell on a node. */
  readonly node?: string;
  /** Another network namespace: a pod, a container, a named one. `null`: back on the node's own. */
  readonly stack?: string | null;
  /** The pod may run anywhere, so the machine that the prompt names is not where it ran. */
  readonly anywhere?: boolean;
  /** A shell was opened: what follows was typed inside. */
  readonly shell: boolean;
}

interface Step {
  readonly words: readonly string[];
  readonly node?: string;
  readonly stack?: string | null;
  readonly anywhere?: boolean;
}

const baseName = (word: string | undefined): string => (word ?? "").slice((word ?? "").lastIndexOf("/") + 1);

/** Index of the first word after the options; `valued` take the next word along. */
function afterOptions(words: readonly string[], from: number, valued: ReadonlySet<string>): number {
  let i = from;
  while (i < words.length) {
    const word = words[i]!;
    if (word === "--") return i + 1;
    if (!word.startsWith("-") || word === "-") break;
    i += valued.has(word) ? 2 : 1;
  }
  return i;
}

const valuesOf = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const PLAIN: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["sudo", valuesOf("-u --user -g --group -h --host -p --prompt -C -r -t -T -U -D")],
  ["doas", valuesOf("-u -C")],
  ["nice", valuesOf("-n")],
  ["ionice", valuesOf("-c -n")],
  ["stdbuf", valuesOf("-i -o -e")],
  ["env", valuesOf("-u")],
  ["watch", valuesOf("-n --interval")],
  ["unbuffer", valuesOf("")],
  ["nohup", valuesOf("")],
  ["setsid", valuesOf("")],
  ["busybox", valuesOf("")],
]);

const isAssignment = (word: string | undefined): boolean => /^[A-Za-z_]\w*=/.test(word ?? "");

function plain(words: readonly string[]): Step | undefined {
  const name = baseName(words[0]);
  const valued = PLAIN.get(name);
  if (valued !== undefined) {
    let i = afterOptions(words, 1, valued);
    while (isAssignment(words[i])) i++;
    const rest = words.slice(i);
    // `watch` and `sudo` also take a whole command line as one word.
    return { words: rest.length === 1 && rest[0]!.includes(" ") ? wordsOfLine(rest[0]!) : rest };
  }
  if (name === "timeout") return { words: words.slice(afterOptions(words, 1, valuesOf("-k -s")) + 1) };
  if (name === "chroot") return { words: words.slice(afterOptions(words, 1, valuesOf("")) + 1) };
  return undefined;
}

const wordsOfLine = (line: string): readonly string[] => commandsOf(line)[0]?.words ?? [];

const SHELL = /^-?(?:ba|da|a|z|k|c|tc|fi)?sh$/;
const isShell = (word: string | undefined): boolean => SHELL.test(baseName(word));

/** `sh -c "…"`, `su - root -c "…"`. */
function shellCommand(words: readonly string[]): Step | undefined {
  const name = baseName(words[0]);
  if (!isShell(words[0]) && name !== "su") return undefined;
  const c = words.findIndex((w, i) => i > 0 && /^-[a-z]*c$/.test(w));
  return c < 0 || words[c + 1] === undefined ? undefined : { words: wordsOfLine(words[c + 1]!) };
}

const NSENTER_VALUES = valuesOf("-t --target -S --setuid -G --setgid");

/** `nsenter -t PID -n …` opens that process's network; without -n (or for PID 1) it stays on the node's. */
function nsenter(words: readonly string[]): Step | undefined {
  if (baseName(words[0]) !== "nsenter") return undefined;
  let target: string | undefined;
  let net = false;
  let path: string | undefined;
  let i = 1;
  for (; i < words.length; i++) {
    const word = words[i]!;
    if (word === "--") {
      i++;
      break;
    }
    if (!word.startsWith("-")) break;
    if (word === "-t" || word === "--target") target = words[++i];
    else if (word.startsWith("--target=")) target = word.slice(9);
    else if (/^-t./.test(word)) target = word.slice(2);
    else if (word.startsWith("--net=")) path = word.slice(6);
    else if (word === "--net" || word === "--all" || word === "-a") net = true;
    else if (word.startsWith("--")) i += NSENTER_VALUES.has(word) ? 1 : 0;
    else if (/^-n./.test(word) && /[/$]/.test(word)) path = word.slice(2).replace(/^=/, "");
    else {
      if (/[na]/.test(word)) net = true;
      const t = word.indexOf("t");
      if (t > 0) target = word.slice(t + 1) || words[++i];
      else if (NSENTER_VALUES.has(word)) i++;
    }
  }
  const rest = words.slice(i);
  const named = path === undefined ? undefined : /netns\/([^/]+)$/.exec(path)?.[1];
  if (named !== undefined) return { words: rest, stack: `netns:${named}` };
  const pid = /\/proc\/([^/]+)\/ns\/net$/.exec(path ?? "")?.[1] ?? target;
  if (!net && path === undefined) return { words: rest };
  return { words: rest, stack: pid === "1" ? null : `nsenter:${pid ?? path ?? "?"}` };
}

/** `ip netns exec NS …`, `ip -n NS route`. */
function ipNetns(words: readonly string[]): Step | undefined {
  const tool = baseName(words[0]);
  if (tool !== "ip" && tool !== "bridge" && tool !== "tc") return undefined;
  const n = words.findIndex((w, i) => i > 0 && (w === "-n" || w === "-netns" || w === "--netns"));
  if (n > 0 && words[n + 1] !== undefined && words.slice(1, n).every((w) => w.startsWith("-"))) {
    return { words: [...words.slice(0, n), ...words.slice(n + 2)], stack: `netns:${words[n + 1]}` };
  }
  const object = words.findIndex((w, i) => i > 0 && !w.startsWith("-"));
  const verb = words[object + 1] ?? "";
  if (object < 0 || verb === "" || !"exec".startsWith(verb)) return undefined;
  if (/^netns?$/.test(words[object]!))
    return { words: words.slice(object + 3), stack: `netns:${words[object + 2] ?? "?"}` };
  return words[object] === "vrf" ? { words: words.slice(object + 3) } : undefined;
}

/** Pods that run in the node's own network: what is seen inside is the node's. */
const HOST_NETWORK_POD =
  /^(?:kube-proxy|kube-flannel|canal|calico-node|cilium|kube-router|weave-net|aws-node|antrea-agent|kube-ovn-cni|ovs-ovn|speaker|metallb-speaker|node-local-dns|nodelocaldns|ip-masq-agent|terway|azure-cn[is]|kube-apiserver|kube-scheduler|kube-controller-manager|etcd|node-debugger|netshoot-node|node-shell)(?:-|$)/;

const KUBECTL_VALUES = valuesOf(
  "-n --namespace -c --container --context --kubeconfig --cluster --user -s --server --as --as-group --image --profile --pod-running-timeout -f --filename --request-timeout --token --target --copy-to --set-image",
);

function kubectl(words: readonly string[]): Step | undefined {
  const tool = baseName(words[0]);
  if (tool !== "kubectl" && tool !== "oc" && tool !== "k" && tool !== "k3s" && tool !== "microk8s.kubectl")
    return undefined;
  let namespace: string | undefined;
  const plainWords: string[] = [];
  let rest: readonly string[] | undefined;
  for (let i = tool === "k3s" ? 2 : 1; i < words.length; i++) {
    const word = words[i]!;
    if (word === "--") {
      rest = words.slice(i + 1);
      break;
    }
    if (word === "-n" || word === "--namespace") namespace = words[++i];
    else if (word.startsWith("--namespace=")) namespace = word.slice(12);
    else if (/^-n./.test(word)) namespace = word.slice(2);
    else if (word.startsWith("-")) i += KUBECTL_VALUES.has(word) ? 1 : 0;
    else {
      plainWords.push(word);
      // Old form without `--`: everything after the pod is the command.
      if (plainWords[0] === "exec" && plainWords.length === 2 && !words.includes("--")) {
        const next = afterOptions(words, i + 1, KUBECTL_VALUES);
        const between = words.slice(i + 1, next);
        const at = between.findIndex((w) => w === "-n" || w === "--namespace");
        if (at >= 0) namespace = between[at + 1];
        rest = words.slice(next);
        break;
      }
    }
  }
  const [verb, object = ""] = plainWords;
  if (verb === "debug" && /^nodes?\//.test(object)) {
    return { words: rest ?? [], node: object.replace(/^nodes?\//, ""), stack: null };
  }
  if (verb === "node-shell" && object !== "") return { words: rest ?? [], node: object, stack: null };
  // A debug container shares its pod's network; a copy of the pod has its own.
  const joins = verb === "debug" && !words.some((w) => w.startsWith("--copy-to"));
  if ((verb !== "exec" && !joins) || object === "") return undefined;
  const pod = object.replace(/^(?:po|pods?)\//, "");
  if (HOST_NETWORK_POD.test(pod)) return { words: rest ?? [], stack: null, anywhere: true };
  return { words: rest ?? [], stack: namespace === undefined ? `pod:${pod}` : `${namespace}/${pod}`, anywhere: true };
}

const EXEC_VALUES = valuesOf("-e --env -u --user -w --workdir --detach-keys --env-file -n --namespace --address");
const KIND_NODE = /-(?:control-plane|worker)\d*$/;

/** `docker exec`, `podman exec`, `nerdctl exec`, `crictl exec`, `ctr task exec`; a kind node is a node, not a container. */
function container(words: readonly string[]): Step | undefined {
  const tool = baseName(words[0]);
  if (!/^(?:docker|podman|nerdctl|crictl|lxc|incus)$/.test(tool)) return undefined;
  if (words[1] === "run") return containerRun(words);
  const exec = words.findIndex((w, i) => i > 0 && w === "exec");
  if (exec < 0 || exec > 6) return undefined;
  const at = afterOptions(words, exec + 1, EXEC_VALUES);
  const name = words[at];
  if (name === undefined) return undefined;
  const rest = words.slice(words[at + 1] === "--" ? at + 2 : at + 1);
  if (tool === "docker" && (KIND_NODE.test(name) || name === "minikube"))
    return { words: rest, node: name, stack: null };
  return { words: rest, stack: `container:${name}` };
}

const RUN_VALUES = valuesOf(
  "-v --volume -e --env -p --publish -w --workdir -u --user --name --network --net --pid --ipc --uts --cap-add --cap-drop --entrypoint --mount -l --label -h --hostname --restart --device --security-opt -m --memory --add-host --dns",
);

/** `docker run --net=host … IMAGE cmd` sees the node's network, without it a new container's. */
function containerRun(words: readonly string[]): Step | undefined {
  const at = afterOptions(words, 2, RUN_VALUES);
  const options = words.slice(2, at).join(" ");
  const rest = words.slice(at + 1);
  if (words[at] === undefined) return undefined;
  if (/--net(?:work)?[= ]host\b/.test(options)) return { words: rest };
  const joined = /--net(?:work)?[= ]container:(\S+)/.exec(options)?.[1];
  return { words: rest, stack: `container:${joined ?? words[at]}` };
}

const SSH_VALUES = valuesOf("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B");

function remote(words: readonly string[]): Step | undefined {
  const tool = baseName(words[0]);
  if (tool === "sshpass") return { words: words.slice(afterOptions(words, 1, valuesOf("-p -f -d"))) };
  if (tool === "ssh") {
    const at = afterOptions(words, 1, SSH_VALUES);
    const host = words[at]?.replace(/^.*@/, "").replace(/^ssh:\/\//, "");
    if (host === undefined || host === "") return undefined;
    const next = afterOptions(words, at + 1, SSH_VALUES);
    const rest = words.slice(next);
    return {
      words: rest.length === 1 && rest[0]!.includes(" ") ? wordsOfLine(rest[0]!) : rest,
      node: host,
      stack: null,
    };
  }
  if (tool === "ansible") {
    const a = words.findIndex((w) => w === "-a" || w === "--args");
    return a < 0 ? undefined : { words: wordsOfLine(words[a + 1] ?? ""), anywhere: true };
  }
  if (words[1] !== "ssh" && words[1] !== "exec" && words[1] !== "shell") return undefined;
  if (tool === "minikube" || tool === "vagrant") {
    const c = words.findIndex((w) => w === "-c" || w === "--command");
    const n = words.findIndex((w) => w === "-n" || w === "--node");
    const dashes = words.indexOf("--");
    const node = n > 0 ? words[n + 1] : tool === "vagrant" && !words[2]?.startsWith("-") ? words[2] : tool;
    const rest = c > 0 ? wordsOfLine(words[c + 1] ?? "") : dashes > 0 ? words.slice(dashes + 1) : [];
    return { words: rest, node: node ?? tool, stack: null };
  }
  if (tool === "multipass" || tool === "limactl") {
    const dashes = words.indexOf("--");
    return { words: words.slice(dashes > 0 ? dashes + 1 : 3), node: words[2] ?? tool, stack: null };
  }
  return undefined;
}

const WRAPPERS = [plain, shellCommand, nsenter, ipNetns, kubectl, container, remote];

/** Takes off `sudo`, `nsenter`, `ip netns exec`, `kubectl exec`, `ssh` and their like, however deep. */
export function unwrap(typed: readonly string[]): Unwrapped {
  let words = typed;
  let node: string | undefined;
  let stack: string | null | undefined;
  let anywhere = false;
  let opened = false;
  for (let depth = 0; depth < 8; depth++) {
    const current = words;
    const step = WRAPPERS.map((wrapper) => wrapper(current)).find((s) => s !== undefined);
    if (step === undefined) break;
    words = step.words;
    // `ssh $node …` in a loop names nobody.
    if (step.node !== undefined) node = /^[\w.:-]+$/.test(step.node) ? step.node : undefined;
    if (step.stack !== undefined) stack = step.stack;
    if (step.anywhere) anywhere = true;
    opened = opened || step.node !== undefined || step.stack !== undefined;
    if (words.length === 0) break;
  }
  const shell = opened && (words.length === 0 || (isShell(words[0]) && words.length <= 2));
  return {
    words,
    ...(node === undefined ? {} : { node }),
    ...(stack === undefined ? {} : { stack }),
    ...(anywhere && node === undefined ? { anywhere } : {}),
    shell,
  };
}
