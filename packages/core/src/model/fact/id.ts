import { formatAddress } from "../../net/index.ts";
import type { Fact } from "./fact.ts";

/** The id of a fact, as `--assume`, case.yaml and `hypothesis` write it. `parseFactId` reads it back. */
export function factId(fact: Fact): string {
  switch (fact.kind) {
    case "sysctl":
      return `${fact.stack}/sysctl/${fact.key}`;
    case "listen":
      return `${fact.stack}/listen/${fact.port}`;
    case "address":
      return `${fact.stack}/address/${formatAddress(fact.address)}`;
    case "rule":
    case "ip-rule":
    case "limit":
      return `${fact.stack}/${fact.kind}/${fact.at}`;
    case "registered-first":
    case "native-registered":
    case "native-order":
    case "beside-conntrack":
      return `${fact.stack}/netfilter/${fact.kind}`;
    case "multipath": {
      const flow = `${fact.iif}/${formatAddress(fact.source)}/${formatAddress(fact.destination)}`;
      return `${fact.stack}/multipath/${flow}${fact.ports === undefined ? "" : `/${fact.ports}`}`;
    }
    case "masquerade":
      return `${fact.stack}/nat/masquerade`;
    case "ipset":
      return `${fact.stack}/ipset/${fact.set}/${fact.entry}`;
    case "datagram-source":
      return `${fact.stack}/datagram-source/${fact.port}`;
    case "hairpin":
      return `${fact.stack}/hairpin/${fact.port}`;
    case "chain":
    case "loop":
      return `${fact.stack}/${fact.kind}/${fact.table}/${fact.chain}`;
    case "recent":
      return `${fact.stack}/recent/${fact.list}`;
    case "owner":
      return `${fact.stack}/owner/${fact.what}`;
    case "set-target":
      return `${fact.stack}/SET/${fact.set}`;
    case "kernel":
    case "conntrack":
      return `${fact.stack}/${fact.kind}`;
    case "ipvs-rest":
      return `${fact.stack}/ipvs/rest`;
    case "tunnel-port":
      return `${fact.stack}/tunnel/${fact.device}/port`;
    case "tunnel-remote":
      return `${fact.stack}/tunnel/${fact.device}/${formatAddress(fact.address)}`;
    case "neighbour":
      return `${fact.stack}/neighbour/${fact.device}/${formatAddress(fact.address)}`;
    case "arrival":
      return `${fact.stack}/arrival/${formatAddress(fact.address)}`;
    case "src-dst-check":
      return "fabric/srcDstCheck";
    case "far-tunnel-end":
      return `fabric/tunnel/${formatAddress(fact.address)}`;
    case "load-balancer":
      return `load-balancer/${formatAddress(fact.address)}/${fact.what}`;
    case "endpoint":
      return `endpoint/${formatAddress(fact.address)}`;
    case "endpoint-node":
      return `endpoint/${formatAddress(fact.address)}/node`;
    case "home":
      return `${formatAddress(fact.address)}/home`;
    case "kube-proxy-mode":
      return "kube-proxy/mode";
    case "other":
      return fact.id;
  }
}
