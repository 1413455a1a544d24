/** What the model of kube-proxy was not shown, and went by instead. */
export const kubeProxy = {
  "kube-proxy.no-configuration":
    "no KubeProxyConfiguration in the dumps: defaults are used, without clusterCIDR, so pods are not distinguished from other sources",
  "kube-proxy.endpoints-unseen":
    "no EndpointSlice or Endpoints of {service} in the dumps: it is treated as having none, so kube-proxy rejects its packets",
  "kube-proxy.endpoints-cut": "the list of {service}'s endpoints is truncated: rules for the rest are missing",
  "kube-proxy.endpoints-row":
    "endpoints of {service} come from a row of kubectl get: they are assumed to be ready, and on the node of the Pod with their address",
  "kube-proxy.service-row":
    "{service} comes from a row of kubectl get: its traffic policies, session affinity and source ranges are assumed to be the defaults",
  "kube-proxy.gates-at-once":
    "{gate} switches many features at once, which is not modelled: each has the default of its release",
} as const;
