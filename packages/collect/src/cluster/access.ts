import { say, type Text, text } from "@hairpin/core/messages/index.ts";
import { askAgent } from "../agent/ask.ts";
import { type Gathered, lastWords } from "../gathered.ts";
import { inParallel } from "../run.ts";
import { collectScript } from "../script.ts";
import { bundleBySsh } from "../ssh.ts";
import { startsOn } from "./images.ts";
import type { Kubectl } from "./kubectl.ts";
import { type MachineOfNode, machinesOfCluster } from "./machines.ts";
import { type OwnPod, removePods, startPod } from "./own-pod.ts";
import { isForsaken } from "./owner.ts";
import { isAgent, type PodOnNode, podsOfCluster } from "./pods.ts";
import { unmarked } from "./unmarked.ts";

export interface AccessOptions {
  readonly kubectl: Kubectl;
  /** The image of a pod of ours; absent: one that is on the node. */
  readonly image?: string;
  /** Where pods of ours are made, in the order in which it is tried. */
  readonly namespaces: readonly string[];
  /** As whom nodes to which no pod leads are read by ssh; absent: they are not. */
  readonly ssh?: string;
  /** How long reading a node may take, in seconds; no pod of ours outlives it. */
  readonly lives: number;
  readonly onText: (node: string, said: Text) => void;
  readonly onLine: (node: string, line: string) => void;
}

export interface Wish {
  readonly node: string;
  /** `all`: every namespace of a pod; otherwise these, as NAMESPACE/NAME. */
  readonly pods: "all" | readonly string[];
}

/** A shell on a node. */
interface Door {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Words before `sh` that lead to the node's own file system and namespaces. */
  readonly enter: readonly string[];
  /** It sees the node's processes, and through them the namespaces of pods. */
  readonly seesPods: boolean;
  readonly own: boolean;
}

const WIDTH = 8;
/** A node that an agent reads longer than this is read otherwise. */
const AGENT_SECONDS = 60;
/** A few are enough: those of one kind on a node are alike. */
const TRIED = 3;
/** Who may enter is let in at once. */
const FIRST_WORD = 15;
const NSENTER = ["nsenter", "-t", "1", "-m", "-u", "-i", "-n", "--"];

/**
 * The nodes of a cluster, through its API alone: by an agent that is there; by a privileged pod that is there and sees the node's
 * processes; else by a pod of our own, which `close` removes; where that is not allowed, by a privileged pod in the node's network,
 * which cannot enter the namespaces of pods. A way that worked is kept.
 */
export class ClusterAccess {
  readonly #options: AccessOptions;
  readonly #doors = new Map<string, Door>();
  readonly #made = new Map<string, OwnPod>();
  #pods: readonly PodOnNode[] = [];
  #machines: readonly MachineOfNode[] = [];

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /** What runs where. Pods that an earlier run of ours could not remove are removed now. */
  async survey(): Promise<void> {
    const { kubectl, onText } = this.#options;
    const [pods, machines] = await Promise.all([podsOfCluster(kubectl), machinesOfCluster(kubectl)]);
    if (typeof pods === "string") onText("", text("live.no-pods", { why: pods }));
    else this.#pods = pods;
    if (typeof machines === "string") onText("", text("live.no-nodes", { why: machines }));
    else this.#machines = machines;
    const over = this.#pods.filter(
      (p) => p.owner !== "" && (/^(?:Succeeded|Failed)$/.test(p.phase) || isForsaken(p.owner)),
    );
    if (over.length === 0) return;
    onText("", text("live.removed-left", { pods: over.map((p) => `${p.namespace}/${p.name}`).join(", ") }));
    await removePods(kubectl, over);
  }

  get nodes(): readonly string[] {
    return this.#machines.map((m) => m.name);
  }

  collect(wishes: readonly Wish[]): Promise<readonly Gathered[]> {
    return inParallel(wishes, WIDTH, (wish) => this.#collectNode(wish));
  }

  /**
   * Runs lines on a node, as root there: the one thing that is no reading. Through a shell alone; an agent has none. Undefined: all went well; else why
   * not. What was begun is not cut short.
   */
  async change(node: string, lines: readonly string[], how: "until one fails" | "all"): Promise<string | undefined> {
    const { kubectl, lives, onText } = this.#options;
    let door = this.#doors.get(node) ?? this.#privilegedOn(node).find((d) => d.seesPods);
    if (door === undefined) {
      const own = await this.#ownDoor(
        node,
        this.#machines.find((m) => m.name === node),
      );
      if (typeof own === "string") return own;
      this.#doors.set(node, own);
      door = own;
    } else onText(node, text("live.through-pod", { pod: `${door.namespace}/${door.pod}` }));
    const { namespace, pod, container, enter } = door;
    const { status, err } = await kubectl(
      ["exec", "-i", "-n", namespace, pod, "-c", container, "--", ...enter, "sh", "-s"],
      {
        input: `PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin\n${how === "all" ? "failed=0\n" : ""}${lines
          .map((line) => `${line} </dev/null || ${how === "all" ? "failed=1" : "exit 1"}\n`)
          .join("")}${how === "all" ? "exit $failed\n" : ""}`,
        seconds: lives,
        clearsUp: true,
      },
    );
    return status === 0 ? undefined : lastWords(err);
  }

  /** Removes what was made; to be called whatever happened. */
  async close(): Promise<void> {
    const pods = [...this.#made.values()];
    this.#made.clear();
    this.#doors.clear();
    if (pods.length > 0) await removePods(this.#options.kubectl, pods);
  }

  async #collectNode(wish: Wish): Promise<Gathered> {
    const { node } = wish;
    const known = this.#doors.get(node);
    if (known !== undefined) {
      const bundle = await this.#through(known, wish);
      if (bundle !== undefined) return { from: node, node, ok: true, bundle };
      this.#doors.delete(node);
    }
    const machine = this.#machines.find((m) => m.name === node);
    if (machine !== undefined && machine.system !== "" && machine.system !== "linux")
      return { from: node, ok: false, why: say(text("live.not-linux", { system: machine.system })) };
    const told = await this.#byAgent(wish);
    if (told !== undefined) return { from: node, node, ok: true, bundle: told };
    const there = this.#privilegedOn(node);
    for (const door of there.filter((d) => d.seesPods).slice(0, TRIED)) {
      const bundle = await this.#entered(door, wish);
      if (bundle !== undefined) return { from: node, node, ok: true, bundle };
    }
    const own = await this.#ownDoor(node, machine);
    if (typeof own !== "string") {
      const bundle = await this.#through(own, wish);
      if (bundle !== undefined) {
        this.#doors.set(node, own);
        return { from: node, node, ok: true, bundle };
      }
    }
    const why = typeof own === "string" ? own : `${own.namespace}/${own.pod}`;
    for (const door of there.filter((d) => !d.seesPods).slice(0, TRIED)) {
      const bundle = await this.#entered(door, wish);
      if (bundle === undefined) continue;
      if (wish.pods.length > 0) this.#options.onText(node, text("live.without-pods", { why }));
      return { from: node, node, ok: true, bundle };
    }
    const bundle = await this.#bySsh(machine, wish);
    return bundle === undefined ? { from: node, ok: false, why } : { from: node, node, ok: true, bundle };
  }

  /** Through the system's own ssh, where that was asked for. */
  async #bySsh(machine: MachineOfNode | undefined, wish: Wish): Promise<Buffer | undefined> {
    const { ssh, lives, onText, onLine } = this.#options;
    if (ssh === undefined || machine === undefined || machine.address === "") return undefined;
    const host = ssh === "" ? machine.address : `${ssh}@${machine.address}`;
    onText(wish.node, text("live.by-ssh", { host }));
    const { bundle, why } = await bundleBySsh(host, {
      sudo: ssh !== "root",
      args: this.#podsOf(wish),
      seconds: lives,
      onLine: (line) => onLine(wish.node, line),
    });
    if (why !== undefined) onText(wish.node, text("live.not-read", { why }));
    return bundle;
  }

  /** From the agent on the node, where there is one. */
  async #byAgent(wish: Wish): Promise<Buffer | undefined> {
    const { kubectl, lives, onText } = this.#options;
    const { node, pods } = wish;
    const there = this.#pods.find((p) => p.node === node && isAgent(p));
    if (there === undefined) return undefined;
    const pod = `${there.namespace}/${there.name}`;
    const named = this.#namedOf(wish);
    // One that cannot be told by its UID is looked for by its name, among all.
    const question = { pods: named, all: pods === "all" || named.length < pods.length };
    onText(node, text("live.by-agent", { pod }));
    const answer = await askAgent(kubectl, there, question, Math.min(lives, AGENT_SECONDS));
    if (typeof answer !== "string") return answer;
    onText(node, text("live.agent-failed", { pod, why: answer }));
    return undefined;
  }

  #privilegedOn(node: string): readonly Door[] {
    return this.#pods
      .filter((p) => p.node === node && p.phase === "Running" && p.owner === "" && (p.hostPid || p.hostNetwork))
      .flatMap(({ namespace, name, hostPid, privileged }) =>
        privileged.map((container) => ({
          namespace,
          pod: name,
          container,
          enter: hostPid ? NSENTER : [],
          seesPods: hostPid,
          own: false,
        })),
      );
  }

  async #entered(door: Door, wish: Wish): Promise<Buffer | undefined> {
    this.#options.onText(wish.node, text("live.through-pod", { pod: `${door.namespace}/${door.pod}` }));
    const bundle = await this.#through(door, wish);
    if (bundle !== undefined) this.#doors.set(wish.node, door);
    return bundle;
  }

  /** A door of our own, or why there is none. */
  async #ownDoor(node: string, machine: MachineOfNode | undefined): Promise<Door | string> {
    const { kubectl, namespaces, image, lives, onText } = this.#options;
    let why = "";
    for (const start of startsOn(machine, image)) {
      const made: OwnPod[] = [];
      onText(node, text("live.own-pod", { image: start.image }));
      const wish = { node, architecture: machine?.architecture ?? "", start, lives };
      const pod = await startPod(kubectl, namespaces, wish, (p) => {
        made.push(p);
        this.#made.set(p.name, p);
      });
      if (typeof pod !== "string")
        return {
          namespace: pod.namespace,
          pod: pod.name,
          container: "node",
          enter: ["chroot", "/host"],
          seesPods: true,
          own: true,
        };
      why = `${start.image}: ${pod}`;
      await removePods(kubectl, made);
      for (const { name } of made) this.#made.delete(name);
      // Who may not make one of this image may make none of another.
      if (/forbidden|denied|cannot create|interrupted/i.test(pod)) break;
    }
    return why;
  }

  /** Undefined where it has no shell, no nsenter, or may not be entered. */
  async #through(door: Door, wish: Wish): Promise<Buffer | undefined> {
    const { namespace, pod, container, enter, seesPods, own } = door;
    const { kubectl, lives, onLine, onText } = this.#options;
    const exec = ["exec", "-i", "-n", namespace, pod, "-c", container, "--", ...enter, "sh", "-s", "--", "--base64"];
    const args = [...(own ? ["--run", pod] : []), ...(seesPods ? this.#podsOf(wish) : ["--no-pods"])];
    const { out, err, status } = await kubectl([...exec, ...args], {
      input: collectScript(),
      onLine: (line) => onLine(wish.node, line),
      seconds: lives,
      firstWordSeconds: FIRST_WORD,
    });
    const bundle = unmarked(out.toString("latin1"));
    if (bundle === undefined)
      onText(wish.node, text("live.exec-ended", { pod: `${namespace}/${pod}`, status, why: lastWords(err) }));
    return bundle;
  }

  /** Which process is whose shows in the cgroups, under every container runtime: they name the pods' UIDs. */
  #podsOf(wish: Wish): readonly string[] {
    const { pods } = wish;
    const wanted = this.#namedOf(wish);
    const named = wanted.flatMap((pod) => ["--pod", pod]);
    if (pods === "all") return named;
    // One that cannot be told by its UID is looked for by its name, among all.
    return wanted.length < pods.length ? named : wanted.length === 0 ? ["--no-pods"] : [...named, "--named-only"];
  }

  #namedOf({ node, pods }: Wish): readonly string[] {
    return this.#pods
      .filter((p) => p.node === node && !p.hostNetwork && p.uid !== "" && p.phase === "Running")
      .filter((p) => pods === "all" || pods.includes(`${p.namespace}/${p.name}`))
      .map((p) => `${p.uid}=${p.namespace}/${p.name}`);
  }
}
