import { type Draft, differencesOf } from "@hairpin/core/check/differences/index.ts";
import { type Dump, readCase } from "@hairpin/core/parse/index.ts";
import { caseFolder, type ObjectsCase } from "../kube-proxy/objects-harness.ts";

export type Files = Readonly<Record<string, string>>;

/** What stood on the node, in the files that one would collect it into. */
export function recordedState(c: ObjectsCase): Files {
  const { rules, ipsetSaveDerived, ipvsadmSaveDerived } = c.recorded as Readonly<Record<string, string | undefined>>;
  if (c.mode === "nftables") return { "nft-list-ruleset.txt": rules! };
  const save = c.ipFamily === "IPv6" ? "ip6tables-save.txt" : "iptables-save.txt";
  return {
    [save]: rules!,
    ...(ipsetSaveDerived !== undefined && { "ipset-save.txt": ipsetSaveDerived }),
    ...(ipvsadmSaveDerived !== undefined && ipvsadmSaveDerived !== "" && { "ipvsadm-Sn.txt": ipvsadmSaveDerived }),
  };
}

/** The ranges that kube-proxy's nftables mode was told ClusterIPs are taken from: its rules name them, and no other object does. */
function serviceCidrs(state: Files): Files {
  const ranges = /cluster-ips-check ip6? daddr \{ ([^}]+) \} drop/.exec(state["nft-list-ruleset.txt"] ?? "")?.[1];
  if (ranges === undefined) return {};
  const cidrs = ranges.split(",").map((r) => r.trim());
  const object = {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "kubernetes" },
    spec: { cidrs },
  };
  return { "servicecidrs.json": JSON.stringify(object) };
}

const inputsOf = (files: Files) => Object.entries(files).map(([path, text]) => ({ path, text }));

/** A recorded case ready to be checked again and again with one file changed: objects and other files are read once. */
export class Recorded {
  readonly state: Files;
  readonly #objects: readonly Dump[];
  readonly #inputs: ReturnType<typeof inputsOf>;
  readonly #dumps = new Map<string, readonly Dump[]>();
  readonly #node: string;

  constructor(c: ObjectsCase, version: string) {
    this.state = recordedState(c);
    this.#node = c.nodeName;
    this.#inputs = inputsOf({ ...caseFolder(c, { version }), ...serviceCidrs(this.state) });
    this.#objects = readCase(this.#inputs).dumps;
    for (const [name, text] of Object.entries(this.state)) this.#dumps.set(name, this.#read(name, text));
  }

  #read(name: string, text: string): readonly Dump[] {
    return readCase([{ path: `nodes/${this.#node}/${name}`, text }]).dumps;
  }

  /** What `hairpin check` of the folder lists as differences. */
  differences(changed: Files = {}): readonly Draft[] {
    const dumps = [...this.#dumps].flatMap(([name, read]) =>
      changed[name] === undefined ? read : this.#read(name, changed[name]),
    );
    return differencesOf([...this.#objects, ...dumps], this.#inputs, undefined).flatMap((d) => d.drafts);
  }
}
