import { describe, expect, test } from "vitest";
import { assemble } from "../../../assemble/index.ts";
import { formatAddress } from "../../../net/index.ts";
import { readCase } from "../../index.ts";

const read = (text: string) => {
  const { dumps } = readCase([{ path: "notes.txt", text }]);
  return {
    objects: assemble(dumps).world.kubernetes,
    dialects: dumps.map((d) => d.dialect.id),
    problems: dumps.flatMap((d) => d.reading.diagnostics.map((x) => `${x.line} ${x.code}`)),
  };
};
const shown = (addresses: readonly Parameters<typeof formatAddress>[0][]) => addresses.map(formatAddress);

describe("tables of kubectl get", () => {
  test("services, wide, of every namespace", () => {
    const { objects, dialects, problems } = read(`$ kubectl get svc -A -o wide
NAMESPACE     NAME         TYPE           CLUSTER-IP     EXTERNAL-IP   PORT(S)                      AGE    SELECTOR
default       kubernetes   ClusterIP      10.96.0.1      <none>        443/TCP                      10d    <none>
ingress       gw           LoadBalancer   10.96.12.9     203.0.113.9   443:31443/TCP,53:30053/UDP   3h5m   app=gw,tier=front
ingress       late         LoadBalancer   10.96.12.10    <pending>     80:31080/TCP                 9s     app=late
data          db           ClusterIP      None           <none>        5432/TCP                     2d     app=db
legacy        ext          NodePort       10.96.3.3      192.0.2.80    80:30080/SCTP                2d     <none>
`);
    expect(dialects).toEqual(["kubectl-get"]);
    expect(problems).toEqual([]);
    expect(
      objects.services.map((s) => [
        `${s.namespace}/${s.name}`,
        s.type,
        shown(s.clusterIps),
        shown(s.externalIps),
        shown(s.loadBalancerIps),
        s.ports,
      ]),
    ).toEqual([
      ["default/kubernetes", "ClusterIP", ["10.96.0.1"], [], [], [{ protocol: 6, port: 443 }]],
      [
        "ingress/gw",
        "LoadBalancer",
        ["10.96.12.9"],
        [],
        ["203.0.113.9"],
        [
          { protocol: 6, port: 443, nodePort: 31443 },
          { protocol: 17, port: 53, nodePort: 30053 },
        ],
      ],
      ["ingress/late", "LoadBalancer", ["10.96.12.10"], [], [], [{ protocol: 6, port: 80, nodePort: 31080 }]],
      ["data/db", "ClusterIP", [], [], [], [{ protocol: 6, port: 5432 }]],
      ["legacy/ext", "NodePort", ["10.96.3.3"], ["192.0.2.80"], [], [{ protocol: 132, port: 80, nodePort: 30080 }]],
    ]);
    expect(objects.services[1]).toMatchObject({
      selector: { app: "gw", tier: "front" },
      form: "row",
      origin: { line: 4 },
    });
    expect(objects.services[3]).toMatchObject({ headless: true });
  });

  test("pods and nodes, wide: hostNetwork shows by the address", () => {
    const { objects, problems } = read(`$ kubectl get pod -n shop -o wide
NAME       READY   STATUS             RESTARTS      AGE   IP            NODE   NOMINATED NODE   READINESS GATES
web-0      1/1     Running            1 (2d ago)    5d    10.244.1.7    n1     <none>           <none>
agent-x    1/1     Running            0             5d    192.0.2.11    n1     <none>           <none>
late-0     0/1     CrashLoopBackOff   3 (5m ago)    5d    <none>        n2     <none>           <none>

$ kubectl get node -o wide
NAME   STATUS                     ROLES           AGE   VERSION   INTERNAL-IP   EXTERNAL-IP     OS-IMAGE                         KERNEL-VERSION    CONTAINER-RUNTIME
n1     Ready                      control-plane   9d    v1.29.1   192.0.2.11    198.51.100.11   Debian GNU/Linux 12 (bookworm)   6.1.0-18-amd64    containerd://1.7.1
n2     NotReady,SchedulingDisabled   <none>       9d    v1.29.1   192.0.2.12    <none>          Debian GNU/Linux 12 (bookworm)   6.1.0-18-amd64    containerd://1.7.1
`);
    expect(problems).toEqual([]);
    expect(
      objects.pods.map((p) => [`${p.namespace}/${p.name}`, shown(p.addresses), p.nodeName, p.hostNetwork, p.ready]),
    ).toEqual([
      ["shop/web-0", ["10.244.1.7"], "n1", false, true],
      ["shop/agent-x", ["192.0.2.11"], "n1", true, true],
      ["shop/late-0", [], "n2", false, false],
    ]);
    expect(objects.nodes.map((n) => [n.name, shown(n.addresses), n.ready, n.kernel])).toEqual([
      ["n1", ["192.0.2.11"], true, "6.1.0-18-amd64"],
      ["n2", ["192.0.2.12"], false, "6.1.0-18-amd64"],
    ]);
  });

  test("endpoints and slices, cut by kubectl", () => {
    const { objects } = read(`$ kubectl get ep
NAME         ENDPOINTS                                         AGE
kubernetes   192.0.2.11:6443                                   9d
web          10.244.1.7:80,10.244.2.7:80,10.244.3.7:80 + 3 more...   9d
empty        <none>                                            9d

$ kubectl get endpointslice -n shop
NAME        ADDRESSTYPE   PORTS      ENDPOINTS                            AGE
api-x7k2p   IPv4          80,443     10.244.1.8,10.244.2.8 + 1 more...    9d
`);
    expect(
      objects.endpoints.map((e) => [
        `${e.namespace}/${e.service}`,
        e.ports.map((p) => p.port),
        e.endpoints.flatMap((x) => shown(x.addresses)),
        e.cut,
      ]),
    ).toEqual([
      ["default/kubernetes", [6443], ["192.0.2.11"], undefined],
      ["default/web", [80], ["10.244.1.7", "10.244.2.7", "10.244.3.7"], true],
      ["default/empty", [], [], undefined],
      ["shop/api", [80, 443], ["10.244.1.8", "10.244.2.8"], true],
    ]);
  });

  test("kubectl get all, rows without a header, single blanks", () => {
    const all = read(`$ kubectl get all
NAME        READY   STATUS    RESTARTS   AGE
pod/web-0   1/1     Running   0          5d

NAME          TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE
service/web   ClusterIP   10.96.0.7    <none>        80/TCP    5d
`);
    expect([all.objects.pods.map((p) => p.name), all.objects.services.map((s) => s.name)]).toEqual([
      ["web-0"],
      ["web"],
    ]);
    const cut = read(`$ kubectl get svc -A | grep web\nshop   web   ClusterIP   10.96.0.7   <none>   80/TCP   5d\n`);
    expect(cut.objects.services.map((s) => `${s.namespace}/${s.name}`)).toEqual(["shop/web"]);
    const narrow = read(
      `$ kubectl get svc\nNAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE\nweb ClusterIP 10.96.0.7 <none> 80/TCP 5d\n`,
    );
    expect(narrow.objects.services.map((s) => s.name)).toEqual(["web"]);
  });

  test("an object beats a row of the same name", () => {
    const { objects } = read(`$ kubectl get svc
NAME   TYPE       CLUSTER-IP   EXTERNAL-IP   PORT(S)        AGE
web    NodePort   10.96.0.7    <none>        80:30080/TCP   5d

$ kubectl get svc web -o yaml
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: default
spec:
  clusterIP: 10.96.0.7
  externalTrafficPolicy: Local
  ports:
  - nodePort: 30080
    port: 80
    targetPort: 8080
  type: NodePort
`);
    expect(objects.services).toMatchObject([
      { name: "web", form: "object", externalTrafficPolicy: "Local", ports: [{ targetPort: 8080 }] },
    ]);
  });

  test("a damaged row is told", () => {
    const { problems, objects } = read(`$ kubectl get svc
NAME   TYPE       CLUSTER-IP   EXTERNAL-IP   PORT(S)        AGE
web    NodePort   10.96.0.7    <none>        80-30080/TCP   5d
`);
    expect(problems).toEqual(["3 kubernetes-table-port"]);
    expect(objects.services[0]?.ports).toEqual([]);
  });
});
