import { lastWords } from "../gathered.ts";
import type { Kubectl } from "./kubectl.ts";
import { OBJECT_NAME } from "./pods.ts";

/** A node as far as a pod on it must be told: what runs there without a registry. */
export interface MachineOfNode {
  readonly name: string;
  readonly architecture: string;
  readonly system: string;
  /** Where it is reached inside the cluster; empty where it does not say. */
  readonly address: string;
  readonly images: readonly ImageOnNode[];
}

export interface ImageOnNode {
  readonly names: readonly string[];
  readonly bytes: number;
}

const COLUMNS =
  '{range .items[*]}{.metadata.name}{"\\t"}{.status.nodeInfo.architecture}{"\\t"}{.status.nodeInfo.operatingSystem}{"\\t"}' +
  '{.status.addresses[?(@.type=="InternalIP")].address}' +
  '{range .status.images[*]}{"\\t"}{.sizeBytes} {.names[*]}{end}{"\\n"}{end}';

/** All nodes, or why they cannot be listed. */
export async function machinesOfCluster(kubectl: Kubectl): Promise<readonly MachineOfNode[] | string> {
  const { status, out, err } = await kubectl(["get", "nodes", "-o", `jsonpath=${COLUMNS}`], { seconds: 60 });
  if (status !== 0) return lastWords(err);
  return out
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const [name = "", architecture = "", system = "", addresses = "", ...images] = line.split("\t");
      const address = addresses.split(" ").find((a) => /^[0-9a-f][0-9a-f.:]{1,45}$/i.test(a)) ?? "";
      return OBJECT_NAME.test(name) ? [{ name, architecture, system, address, images: images.flatMap(imageOf) }] : [];
    });
}

function imageOf(text: string): readonly ImageOnNode[] {
  const [bytes = "", ...names] = text.split(" ");
  const known = names.filter((n) => /^[a-z0-9][A-Za-z0-9./:@_-]{0,400}$/.test(n) && !n.includes("<none>"));
  return known.length === 0 ? [] : [{ names: known, bytes: Number(bytes) || 0 }];
}
