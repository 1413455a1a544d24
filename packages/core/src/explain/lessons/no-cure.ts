import { type Text, text } from "../../messages/index.ts";
import type { CauseCode } from "../code.ts";

/** Causes that no change of a node, a Service or the network between them takes away as a fix of the catalogue, and what to do instead. */
export const NO_CURE: Readonly<Partial<Record<CauseCode, Text>>> = {
  NO_ENDPOINTS: text("lesson.no-cure.no_endpoints"),
  NO_LISTENER: text("lesson.no-cure.no_listener"),
  IPVS_LOCALHOST_NODEPORT: text("lesson.no-cure.ipvs_localhost_nodeport"),
  DAD_FAILED: text("lesson.no-cure.dad_failed"),
  LINK_LOCAL_WITHOUT_ZONE: text("lesson.no-cure.link_local_without_zone"),
  SRC_SELECTION_IPV6: text("lesson.no-cure.src_selection_ipv6"),
  NEIGHBOUR_FAILED: text("lesson.no-cure.neighbour_failed"),
  L2_PATH: text("lesson.no-cure.l2_path"),
  DUPLICATE_VTEP_MAC: text("lesson.no-cure.duplicate_vtep_mac"),
  WRONG_UNDERLAY_INTERFACE: text("lesson.no-cure.wrong_underlay_interface"),
  TUNNEL_MISMATCH: text("lesson.no-cure.tunnel_mismatch"),
  NODEPORT_ADDRESSES: text("lesson.no-cure.nodeport_addresses"),
  NODEPORT_SHADOWS_HOST_PORT: text("lesson.no-cure.nodeport_shadows_host_port"),
  NODEPORT_PORT_TAKEN: text("lesson.no-cure.nodeport_port_taken"),
  CONNTRACK_INSERT_RACE: text("lesson.no-cure.conntrack_insert_race"),
  CIDR_OVERLAP: text("lesson.no-cure.cidr_overlap"),
  IP_FAMILY_MISMATCH: text("lesson.no-cure.ip_family_mismatch"),
  PORT_NOT_IN_SERVICE: text("lesson.no-cure.port_not_in_service"),
  SERVICE_NOT_PROGRAMMED_HERE: text("lesson.no-cure.service_not_programmed_here"),
  KUBE_PROXY_DRIFT: text("lesson.no-cure.kube_proxy_drift"),
  RULE_UNKNOWN: text("lesson.no-cure.rule_unknown"),
  DATAPATH_NOT_MODELLED: text("lesson.no-cure.datapath_not_modelled"),
};
