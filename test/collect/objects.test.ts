import { describe, expect, test } from "vitest";
import { wantedOf } from "../../packages/collect/src/objects.ts";
import { readCase } from "../../packages/core/src/parse/index.ts";
import { bundledCases } from "../cases/bundled.ts";

const objectsOf = (path: string, text: string) =>
  readCase([{ path, text }]).dumps.flatMap((d) => d.reading.facts.filter((f) => f.kind === "kubernetes"));

/** Where things stand, and annotations that nobody asks for, are no part of what an object says. */
const withoutPlaces = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, v: unknown) => (/[oO]rigins?$|^annotations$|^line$/.test(key) ? undefined : v)),
  );

const SERVICES = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Service
  metadata:
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: |
        {"metadata":{"annotations":{"password":"tok-hunter2"}}}
      example.com/token: tok-annotation
      service.beta.kubernetes.io/aws-load-balancer-type: nlb
    managedFields:
    - manager: tok-manager
    name: web
    namespace: shop
    uid: tok-uid
  spec:
    clusterIP: 10.96.0.10
    ports:
    - name: http
      port: 80
      targetPort: "8080"
    selector: {app: web, "on": "yes"}
    type: LoadBalancer
  status:
    loadBalancer:
      ingress: [{ip: 203.0.113.5}]
`;

describe("objects are taken by their wanted fields", () => {
  test("annotations that nobody reads, managed fields and copies of what was applied stay behind", () => {
    const taken = wantedOf(SERVICES)!;
    expect(taken).not.toMatch(/tok-|last-applied|managedFields/);
    expect(taken).toContain("aws-load-balancer-type: nlb");
    expect(withoutPlaces(objectsOf("services.yaml", taken))).toEqual(
      withoutPlaces(objectsOf("services.yaml", SERVICES)),
    );
  });

  test("of kube-proxy's ConfigMap its configuration, not the kubeconfig", () => {
    const map = `apiVersion: v1
kind: ConfigMap
metadata: {name: kube-proxy, namespace: kube-system}
data:
  config.conf: |-
    apiVersion: kubeproxy.config.k8s.io/v1alpha1
    kind: KubeProxyConfiguration
    mode: ipvs
    clusterCIDR: 10.244.0.0/16
    clientConnection:
      kubeconfig: /var/lib/tok-path
    ipvs:
      strictARP: true
  kubeconfig.conf: |-
    users:
    - user:
        token: tok-bearer
  other: tok-other
`;
    const taken = wantedOf(map)!;
    expect(taken).not.toContain("tok-");
    expect(withoutPlaces(objectsOf("kube-proxy.yaml", taken))).toEqual(
      withoutPlaces(objectsOf("kube-proxy.yaml", map)),
    );
    expect(taken).toMatch(/^ +mode: ipvs$/m);
  });

  const cases = bundledCases().flatMap(({ loaded }) =>
    loaded.inputs.flatMap((i) =>
      /\.ya?ml$/.test(i.path) && !i.path.endsWith("case.yaml") && i.text !== undefined
        ? [[i.path, i.text] as const]
        : [],
    ),
  );
  test.each(cases)("what is read of %s stays", (path, text) => {
    expect(withoutPlaces(objectsOf(path, wantedOf(text)!))).toEqual(withoutPlaces(objectsOf(path, text)));
  });

  test("what cannot be read is not taken", () => {
    expect(wantedOf("")).toBeUndefined();
    expect(wantedOf("just text\n")).toBeUndefined();
  });
});
