import type { Kubectl } from "@hairpin/collect/index.ts";

/** The namespace that kubectl would take: that of the context, else `default`. */
export async function namespaceOf(kubectl: Kubectl): Promise<string> {
  const args = ["config", "view", "--minify", "-o", "jsonpath={..namespace}"];
  const { status, out } = await kubectl(args, { seconds: 30 });
  const name = out.toString("utf8").trim();
  return status === 0 && /^[a-z0-9][a-z0-9-]{0,62}$/.test(name) ? name : "default";
}
