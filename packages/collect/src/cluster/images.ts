import type { ImageOnNode, MachineOfNode } from "./machines.ts";

/**
 * What a pod on a node starts from. `host`: the node's own programs, laid over whatever image; any image that is there will do, the
 * empty one of the sandboxes as well. `image`: the image has a `chroot` of its own.
 */
export interface Start {
  readonly image: string;
  readonly programs: "host" | "image";
  readonly pull: "Never" | "IfNotPresent";
}

/** The last resort, and the only one that asks a registry. */
export const DEBUG_IMAGE = "busybox";

/** Anybody may use these: an image that was pulled with somebody's credentials may be refused to others. */
const PUBLIC = [/(?:^|\/)pause(?:-[a-z0-9]+)?[:@]/, /^(?:registry\.k8s\.io|k8s\.gcr\.io)\//, /^docker\.io\/library\//];
const HAS_SHELL = /(?:^|\/)(?:busybox|alpine|debian|ubuntu|fedora|netshoot|toybox|flannel|nginx|cilium)[:@]/;

/** By a tag where it has one: people read it. */
const nameOf = ({ names }: ImageOnNode): string => names.find((n) => !n.includes("@")) ?? names[0]!;

const rank = (image: ImageOnNode): number => {
  const at = PUBLIC.findIndex((p) => image.names.some((n) => p.test(n)));
  return at < 0 ? PUBLIC.length : at;
};

/** In the order in which they are tried. */
export function startsOn(machine: MachineOfNode | undefined, asked: string | undefined): readonly Start[] {
  if (asked !== undefined) return [{ image: asked, programs: "image", pull: "IfNotPresent" }];
  const images = [...(machine?.images ?? [])].sort((a, b) => rank(a) - rank(b) || a.bytes - b.bytes);
  const any = images[0];
  const shell = images.find((i) => i.names.some((n) => HAS_SHELL.test(n)));
  return [
    ...(any === undefined ? [] : [{ image: nameOf(any), programs: "host", pull: "Never" } as const]),
    ...(shell === undefined ? [] : [{ image: nameOf(shell), programs: "image", pull: "Never" } as const]),
    { image: DEBUG_IMAGE, programs: "image", pull: "IfNotPresent" },
  ];
}
