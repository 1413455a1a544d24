import { readFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import type { TextFile } from "../cluster/objects-of-cluster.ts";
import { wantedOf } from "../objects.ts";

/** Where Kubernetes lays a pod's credentials. */
const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
const SECONDS = 30;
const MOST = 256 * 1024 * 1024;

const KINDS: readonly (readonly [file: string, path: string, apiVersion: string, kind: string])[] = [
  ["services", "/api/v1/services", "v1", "Service"],
  ["endpointslices", "/apis/discovery.k8s.io/v1/endpointslices", "discovery.k8s.io/v1", "EndpointSlice"],
  ["nodes", "/api/v1/nodes", "v1", "Node"],
  ["pods", "/api/v1/pods", "v1", "Pod"],
  ["networkpolicies", "/apis/networking.k8s.io/v1/networkpolicies", "networking.k8s.io/v1", "NetworkPolicy"],
];
const PROXY = "/api/v1/namespaces/kube-system/configmaps/kube-proxy";

/** The cluster's objects as a pod may read them with its own account. Throws where they cannot be read. */
export async function objectsByAccount(): Promise<readonly TextFile[]> {
  const lists = await Promise.all(
    KINDS.map(async ([file, path, apiVersion, kind]): Promise<TextFile> => {
      const list = JSON.parse(await asked(path)) as { readonly items?: readonly object[] };
      const items = (list.items ?? []).map((item) => ({ ...item, apiVersion, kind }));
      return fileOf(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    }),
  );
  // kube-proxy's settings may be elsewhere, or not be shown to us.
  const proxy = await asked(PROXY).then(
    (text) => [fileOf("kube-proxy", text)],
    () => [],
  );
  return [...lists, ...proxy];
}

const fileOf = (name: string, json: string): TextFile => ({
  path: `kubernetes/${name}.yaml`,
  text: wantedOf(json) ?? "",
});

function asked(path: string): Promise<string> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  const options = {
    host,
    port,
    path,
    ca: readFileSync(join(ACCOUNT, "ca.crt")),
    headers: { authorization: `Bearer ${readFileSync(join(ACCOUNT, "token"), "utf8").trim()}` },
    timeout: SECONDS * 1000,
  };
  return new Promise((done, failed) => {
    const request = get(options, (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      response.on("data", (part: Buffer) => {
        size += part.length;
        if (size > MOST) request.destroy(new Error(`${path}: too much`));
        parts.push(part);
      });
      response.on("error", failed);
      response.on("end", () => {
        if (response.statusCode === 200) done(Buffer.concat(parts).toString("utf8"));
        else failed(new Error(`${path}: ${response.statusCode}`));
      });
    });
    request.on("timeout", () => request.destroy(new Error(`${path}: no answer within ${SECONDS} s`)));
    request.on("error", failed);
  });
}
