import { annotated, annotation, isOn, ofClass, onCloud, type Provider } from "./provider.ts";

interface Maker {
  readonly provider: string;
  readonly annotations: readonly string[];
  readonly machines?: RegExp;
  readonly keeps: boolean | "?";
}

/** Balancers that translate to node ports. Where makers sell several kinds, what they keep is left open. */
const MAKERS: readonly Maker[] = [
  // Amphorae are proxies.
  {
    provider: "an OpenStack Octavia load balancer",
    annotations: ["loadbalancer.openstack.org/", "openstack-internal-load-balancer"],
    machines: /^openstack:\/\//,
    keeps: false,
  },
  {
    provider: "a DigitalOcean load balancer",
    annotations: ["do-loadbalancer-"],
    machines: /^digitalocean:\/\//,
    keeps: false,
  },
  {
    provider: "a Hetzner Cloud load balancer",
    annotations: ["load-balancer.hetzner.cloud/"],
    machines: /^hcloud:\/\//,
    keeps: false,
  },
  { provider: "a Linode NodeBalancer", annotations: ["linode-loadbalancer-"], machines: /^linode:\/\//, keeps: false },
  { provider: "a Vultr load balancer", annotations: ["vultr-loadbalancer-"], machines: /^vultr:\/\//, keeps: false },
  {
    provider: "an Oracle Cloud load balancer",
    annotations: ["oci.oraclecloud.com/", "oci-load-balancer", "oci-network-load-balancer.oraclecloud.com/"],
    machines: /^ocid1\.|^oci:\/\//,
    keeps: "?",
  },
  { provider: "a Huawei Cloud ELB", annotations: ["kubernetes.io/elb."], keeps: "?" },
  { provider: "a Volcengine CLB", annotations: ["volcengine-loadbalancer-"], keeps: "?" },
];

export const others: readonly Provider[] = MAKERS.map(
  ({ provider, annotations, machines, keeps }): Provider =>
    (service, cluster) => {
      const basis =
        annotated(service, ...annotations) ??
        (machines === undefined ? undefined : onCloud(service, cluster, machines)) ??
        (provider.includes("Huawei") ? ofClass(service, /huawei/i) : undefined);
      if (basis === undefined) return undefined;
      const query = isOn(annotation(service, "kubernetes.io/elb.enable-transparent-client-ip"));
      const preserveClient = provider.includes("Huawei") ? (query ?? keeps) : keeps;
      return { provider, told: basis, forwarding: "nat", preserveClient };
    },
);
