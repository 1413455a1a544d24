/** NetworkPolicies by name. */
export const policies = {
  "cause.network_policy_drop.logged":
    "the network plugin's log says that its policy stopped a packet from {from} to {to}",
  "cause.network_policy_drop.named":
    "the {direction} is dropped on {stack}: {policies}, which selects {pod}, does not allow it ({chain})",
  "cause.network_policy_drop.several":
    "the {direction} is dropped on {stack}: none of the network policies that select {pod} allows it: {policies} ({chain})",
  "policies.a-pod": "the pod",
} as const;
