/** Causes that no change of a node, a Service or the network between them takes away, and why. */
export const NO_FIX: Readonly<Record<string, string>> = {
  NO_ENDPOINTS: "a pod must become ready, or the selector be right: nothing the datapath has",
  NO_LISTENER: "a process must listen",
  IPVS_LOCALHOST_NODEPORT: "another address must be called",
  NEIGHBOUR_FAILED: "a machine, a cable or a VLAN is missing",
  DAD_FAILED: "two machines have the address: one of them must get another",
  LINK_LOCAL_WITHOUT_ZONE: "the client must name the device",
  SRC_SELECTION_IPV6: "which of its addresses a client should have is for its network to say",
  L2_PATH: "a port or a VLAN is missing",
  DUPLICATE_VTEP_MAC: "every node must know the new MAC: the plug-in has to make it",
  WRONG_UNDERLAY_INTERFACE: "the plug-in chooses the card, and tells the others",
  TUNNEL_MISMATCH: "both ends must agree, and which of them is right is not known",
  NODEPORT_ADDRESSES: "another address must be called, or kube-proxy be told to serve this one",
  NODEPORT_SHADOWS_HOST_PORT: "one of the two must have another port",
  CONNTRACK_INSERT_RACE: "a matter of time that no patch of the World shows",
};
