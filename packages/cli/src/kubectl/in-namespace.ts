/** As kubectl calls them, and as a question does. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ...["po", "pod", "pods"].map((k) => [k, "pod"] as const),
  ...["svc", "service", "services"].map((k) => [k, "svc"] as const),
  ...["no", "node", "nodes"].map((k) => [k, "node"] as const),
]);

/** `pod/web` is the pod of that name in the namespace, as for kubectl; what names its own namespace, an address or a URL stays as it is. */
export function inNamespace(who: string, namespace: string): string {
  const [kind, ...rest] = who.split("/");
  const known = KINDS.get(kind!);
  if (known === undefined || rest.length === 0 || who.includes("://")) return who;
  if (known === "node" || rest.length > 1) return [known, ...rest].join("/");
  return `${known}/${namespace}/${rest[0]}`;
}
