/** Names that everybody's cluster has; they say nothing about whose it is, and some of them mean something. */
const COMMON = new Set([
  "default",
  "kubernetes",
  "kube-system",
  "kube-public",
  "kube-dns",
  "kube-proxy",
  "kube-flannel",
  "kube-ipvs0",
  "coredns",
  "calico-system",
  "localhost",
  "unknown",
  "node",
  "all",
  "lo",
]);

const PATH = /(?:^|\/)nodes\/([^/]+)(?:\/(pods|containers|netns|vms)\/([^/]+)(?:\/([^/]+)(?=\/))?)?/;
/** kube-proxy's comments: `shop/web:http cluster IP`, `shop/web`. */
const COMMENT = /--comment "?([a-z0-9][a-z0-9.-]{0,252})\/([a-z0-9][a-z0-9.-]{0,252})(?=[:" ]|$)/gm;
const OBJECT =
  /^\s*(?:- )?"?(name|namespace|nodeName|hostname|generateName)"?: "?([a-z0-9][a-z0-9.-]{1,252})"?,?\s*$/gm;

type Kind = "node" | "namespace" | "name";

/** Collects names, and calls each by a number in the order of finding it. */
export class NameMap {
  private readonly names = new Map<string, string>();
  private readonly counts: Record<Kind, number> = { node: 0, namespace: 0, name: 0 };

  private add(kind: Kind, name: string | undefined): void {
    if (name === undefined || name.length < 2 || COMMON.has(name) || /^[\d.]+$/.test(name) || this.names.has(name))
      return;
    this.names.set(name, `${kind}-${++this.counts[kind]}`);
  }

  learn(path: string, text: string): void {
    const folders = PATH.exec(path);
    if (folders !== null) {
      this.add("node", folders[1]);
      if (folders[2] === "pods") {
        this.add("namespace", folders[3]);
        this.add("name", folders[4]);
      } else this.add("name", folders[3]);
    }
    for (const [, namespace, name] of text.matchAll(COMMENT)) {
      this.add("namespace", namespace);
      this.add("name", name);
    }
    if (/\.(?:ya?ml|json)$/.test(path))
      for (const [, key, name] of text.matchAll(OBJECT))
        this.add(key === "namespace" ? "namespace" : key === "name" || key === "generateName" ? "name" : "node", name);
    if (/uname[^/]*$/.test(path)) this.add("node", /^Linux (\S+) /.exec(text)?.[1]);
  }

  /** Words that are one of the names, or begin with one before a dot (`node1.example.com`). */
  replace(text: string): string {
    return text.replace(/[A-Za-z0-9][A-Za-z0-9_.-]*/g, (word) => this.word(word));
  }

  private word(word: string): string {
    const exact = this.names.get(word);
    if (exact !== undefined) return exact;
    // A name at the end of a sentence, or a domain below it.
    const dot = word.indexOf(".");
    const short = dot < 0 ? undefined : this.names.get(word.slice(0, dot));
    return short === undefined ? word : short + (dot === word.length - 1 ? "." : ".example");
  }
}
