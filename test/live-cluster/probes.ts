/**
 * A question to the cluster that `cluster/shop.py` describes, and how it is tried there. An address may name a pod in braces, whose
 * address stands there then.
 */
export interface Probe {
  readonly id: string;
  /** `pod/…`, `node/…`, or `ext`, somebody outside. */
  readonly from: string;
  readonly addr: string;
  /** How the question is asked, where not by the address. */
  readonly to?: string;
  readonly proto?: "tcp" | "udp";
  /** The node to which the world outside sends it. */
  readonly node?: string;
  /** How often it is tried; all at once. */
  readonly n?: number;
  /** Why nobody can know, though the cluster shows what happens. */
  readonly open?: string;
}

const pod = (name: string): string => `pod/shop/${name}`;
const service = (name: string, port = 80): string => `svc/shop/${name}:${port}`;

/** Several endpoints stand behind it: seldom enough that all tries meet the same. */
export const MANY = 12;

export const toOne = (id: string, from: string): Probe => ({ id, from, addr: "10.96.10.2:80", to: service("one") });
export const toOneUdp = (id: string, from: string): Probe => ({
  id,
  from,
  addr: "10.96.10.3:53",
  to: service("one-udp", 53),
  proto: "udp",
});
export const toWeb = (id: string, from: string): Probe => ({
  id,
  from,
  addr: "10.96.10.1:80",
  to: service("web"),
  n: MANY,
});
export const toPod = (id: string, from: string, name: string, port = 8080): Probe => ({
  id,
  from,
  addr: `{${name}}:${port}`,
  to: `pod/shop/${name}:${port}`,
});
export const to = (id: string, from: string, addr: string, more: Partial<Probe> = {}): Probe => ({
  id,
  from,
  addr,
  ...more,
});

const [a, b, c] = [pod("client-a"), pod("client-b"), pod("client-c")];
const ext = "ext";
const atA = { node: "node-a" };
const atB = { node: "node-b" };
const many = { n: MANY };
/** Nobody shows the machines outside the cluster. */
const outside = { open: "what the world outside does" };

/** Every type of Service, from pods, nodes and outside. */
export const EVERY_SERVICE: readonly Probe[] = [
  toWeb("cluster IP", a),
  toOne("cluster IP, endpoint elsewhere", a),
  toOne("cluster IP, endpoint on the same node", b),
  toOne("cluster IP from a node", "node/node-a"),
  toOne("cluster IP from the endpoint's node", "node/node-b"),
  toOneUdp("UDP", c),
  toOneUdp("UDP from a node", "node/node-c"),
  toOne("a pod to itself through its Service", pod("one-b")),
  to("node port from outside", ext, "10.200.0.11:30080", many),
  to("node port of a node without endpoints", ext, "10.200.0.13:30080", many),
  to("node port from a pod", a, "10.200.0.12:30080", many),
  to("node port from its own node", "node/node-a", "10.200.0.11:30080", many),
  to("node port at 127.0.0.1", "node/node-a", "127.0.0.1:30080", many),
  to("local node port, with an endpoint", ext, "10.200.0.12:30081"),
  to("local node port, without", ext, "10.200.0.11:30081"),
  to("local node port from a pod of that node", a, "10.200.0.11:30081"),
  to("local node port from a pod elsewhere", a, "10.200.0.13:30081"),
  to("local node port from its own node", "node/node-a", "10.200.0.11:30081"),
  to("local node port at 127.0.0.1", "node/node-a", "127.0.0.1:30081"),
  to("UDP node port", ext, "10.200.0.13:30083", { proto: "udp" }),
  to("load balancer from outside", ext, "198.51.100.6:80", { ...many, ...atA }),
  to("load balancer from a pod", c, "198.51.100.6:80", many),
  to("load balancer from a node", "node/node-b", "198.51.100.6:80", many),
  to("local load balancer from outside", ext, "198.51.100.7:80", atB),
  to("local load balancer from a pod", a, "198.51.100.7:80"),
  to("load balancer, source in its ranges", ext, "198.51.100.8:80", { ...many, ...atA }),
  to("load balancer, source not in its ranges", ext, "198.51.100.9:80", atA),
  to("the same from a pod", a, "198.51.100.9:80"),
  to("the same from a node", "node/node-a", "198.51.100.9:80"),
  to("the same by its node port", ext, "10.200.0.11:30089", many),
  to("load balancer of mode Proxy", a, "198.51.100.10:80", outside),
  to("the same by its node port, mode Proxy", ext, "10.200.0.11:30090"),
  to("session affinity", a, "10.96.10.11:80", { to: service("aff"), n: 4 }),
  to("no endpoints", a, "10.96.10.12:80", { to: service("empty") }),
  to("no endpoints, from a node", "node/node-a", "10.96.10.12:80", { to: service("empty") }),
  to("no endpoints, node port", ext, "10.200.0.11:30082"),
  to("endpoint not ready", a, "10.96.10.18:80", { to: service("lazy") }),
  to("external IP from outside", ext, "198.51.100.13:80", { ...many, ...atA }),
  to("external IP from a pod", b, "198.51.100.13:80", many),
  to("endpoint in a node's network", a, "10.96.10.14:80", { to: service("hostnet") }),
  to("the same from its node", "node/node-c", "10.96.10.14:80", { to: service("hostnet") }),
  to("internal traffic local, with an endpoint", b, "10.96.10.15:80", { to: service("itp-local") }),
  to("internal traffic local, without", a, "10.96.10.15:80", { to: service("itp-local") }),
  toPod("pod of a headless Service", c, "web-a"),
  to("Service of an endpoint outside", a, "10.96.10.17:80", { to: service("outside"), ...outside }),
  to("API server", a, "10.96.0.1:443", { to: "svc/default/kubernetes:443" }),
  to("a port that the Service has not", a, "10.96.10.1:81"),
  to("pod to a node", a, "10.200.0.13:9090"),
  to("pod to the world outside", b, "192.0.2.10:7070", outside),
  toPod("pod to pod, nobody listens", a, "one-b", 8081),
];
