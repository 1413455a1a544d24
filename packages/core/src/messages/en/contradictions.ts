/** Where dumps cannot both be so. */
export const contradictions = {
  "contradiction.policy": "chain {chain} of table {table} has the policy {policy} in one dump and {other} in another",
  "contradiction.target":
    "chain {chain} of table {table}: the same packets go to {target} in one dump and to {other} in another",
  "contradiction.rule-lacking":
    "chain {chain} of table {table} has a rule in one dump that another dump of the same chain lacks",
  "contradiction.no-chain": "a rule of chain {chain} jumps to {target}, which {program} table {table} does not have",
  "contradiction.chain-loop":
    "in {program} table {table} chain {ring}: the kernel refuses such a loop, so a line is wrong",
  "contradiction.jump": "{from} jumps to {to}",
  "contradiction.no-device": "{by} names the device {device}, which the whole listing of devices does not hold",
  "contradiction.by-route": "a route",
  "contradiction.by-rule": "a routing rule",
  "contradiction.by-neighbour": "a neighbour",
  "contradiction.by-fdb": "a bridge's table",
  "contradiction.by-device": "device {device}",
  "contradiction.not-local": "{address} is an address of {device}, and the local table has no entry for it",
  "contradiction.no-source": "a route prefers the source {address}, which is on no device",
  "contradiction.unbound": "IPVS serves {address}, which is neither on kube-ipvs0 nor on another device",
  "contradiction.no-set": "{count} rules name the set {set}, which the whole listing of sets does not hold",
  "contradiction.no-set-one": "1 rule names the set {set}, which the whole listing of sets does not hold",
  "contradiction.no-table": "a routing rule looks up table {table}, in which the listing of all tables has no route",
  "contradiction.value": "{key} is {value} in one place and {other} in another",
  "contradiction.device": "device {device} has {value} in one dump and {other} in another",
  "contradiction.no-address": "no address",
  "contradiction.set-twice": "the set {set} is listed twice, and its type or members are not the same",
  "contradiction.service-twice":
    "the virtual service {service} is listed twice, and scheduler or servers are not the same",
  "contradiction.routes-twice": "route table {table} was listed twice, and one listing has a line the other lacks",
  "contradiction.rules-twice": "the list of routing rules was listed twice, and one listing has a line the other lacks",
} as const;
