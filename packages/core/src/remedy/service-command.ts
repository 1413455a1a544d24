import type { ServiceField } from "../assemble/index.ts";
import { shellLine } from "../model/shell.ts";

const LISTS: ReadonlySet<string> = new Set(["loadBalancerSourceRanges", "externalIPs"]);

/** `kubectl -n NS patch service NAME -p '{"spec":{…}}'`. */
export function kubectlPatch(namespace: string, name: string, field: string, value: string): readonly string[] {
  const items = value.split(",").filter((item) => item !== "");
  const shown = LISTS.has(field) ? items : value === "true" || value === "false" ? value === "true" : value;
  const patch = JSON.stringify({ spec: { [field]: shown } });
  return ["kubectl", "-n", namespace, "patch", "service", name, "-p", patch];
}

/** The same field with another value, said as the command said it. */
export const fieldCommand = ({ namespace, name, field }: ServiceField, value: string, like: string): string =>
  like.includes("kubectl ")
    ? shellLine(kubectlPatch(namespace, name, field, value))
    : `svc/${namespace}/${name} spec.${field}=${value}`;
