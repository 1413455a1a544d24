import { lookup } from "../../model/lookup.ts";
import type { DumpContext } from "../dialect.ts";

/** What the folders above a file say: `nodes/<name>/…`, `nodes/<name>/pods/<namespace>/<name>/…`, `before/`, `after/`. */
export interface FolderHint {
  readonly node?: string;
  readonly stack?: string;
  readonly moment?: DumpContext["moment"];
  /** The folder the file lies in, for cases that have one folder a node without `nodes/`. */
  readonly folder: string;
}

export function folderHint(path: string): FolderHint {
  const parts = path.split("/").slice(0, -1);
  const nodes = parts.lastIndexOf("nodes");
  const node = nodes >= 0 ? parts[nodes + 1] : undefined;
  const inner = nodes >= 0 ? parts.slice(nodes + 2) : parts;
  const moment = parts.find((p) => p === "before" || p === "after") as "before" | "after" | undefined;
  const stack = stackOf(inner);
  return {
    ...(node === undefined ? {} : { node }),
    ...(stack === undefined ? {} : { stack }),
    ...(moment === undefined ? {} : { moment: { value: moment, by: "folder" as const } }),
    folder: parts.join("/"),
  };
}

const KINDS: Readonly<Record<string, string>> = lookup({ netns: "netns:", containers: "container:", vms: "vm:" });

function stackOf(parts: readonly string[]): string | undefined {
  const pods = parts.indexOf("pods");
  if (pods >= 0 && parts[pods + 1] !== undefined) {
    const [namespace, name] = parts.slice(pods + 1);
    return name === undefined ? `default/${namespace}` : `${namespace}/${name}`;
  }
  for (const [folder, prefix] of Object.entries(KINDS)) {
    const at = parts.indexOf(folder);
    if (at >= 0 && parts[at + 1] !== undefined) return prefix + parts[at + 1];
  }
  return undefined;
}
