/** What the model of kube-proxy was not shown, and went by instead. */
export const kubeProxy = {
  "kube-proxy.no-configuration":
    "no KubeProxyConfiguration was shown: its defaults are taken, with no clusterCIDR, so that pods are not told from others",
  "kube-proxy.endpoints-unseen":
    "no EndpointSlice or Endpoints of {service} was shown: it is taken to have none, and kube-proxy to refuse its packets",
  "kube-proxy.endpoints-cut": "the list of {service}'s endpoints is cut short: rules for the rest are missing",
  "kube-proxy.endpoints-row":
    "endpoints of {service} were shown as a row of kubectl get: they are taken to be ready, and to be on the node of the Pod that has their address",
  "kube-proxy.service-row":
    "{service} was shown as a row of kubectl get: its traffic policies, session affinity and source ranges are taken to be the defaults",
  "kube-proxy.gates-at-once":
    "{gate} switches many features at once, which is not modelled: each is taken as its release has it",
} as const;
