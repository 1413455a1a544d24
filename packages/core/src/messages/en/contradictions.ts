/** Where dumps cannot both be so. */
export const contradictions = {
  "contradiction.policy": "chain {chain} of table {table} has the policy {policy} in one dump and {other} in another",
  "contradiction.target":
    "chain {chain} of table {table}: the same packets go to {target} in one dump and to {other} in another",
  "contradiction.rule-lacking":
    "chain {chain} of table {table} has a rule in one dump that is missing from another dump of it",
  "contradiction.no-chain": "a rule of chain {chain} jumps to {target}, which {program} table {table} does not have",
  "contradiction.chain-loop":
    "in {program} table {table} chain {ring}: the kernel rejects such a loop, so a line is wrong",
  "contradiction.jump": "{from} jumps to {to}",
  "contradiction.no-device": "{by} refers to the device {device}, which the complete list of devices does not contain",
  "contradiction.by-route": "a route",
  "contradiction.by-rule": "an ip rule",
  "contradiction.by-neighbour": "a neighbour entry",
  "contradiction.by-fdb": "a bridge FDB entry",
  "contradiction.by-device": "device {device}",
  "contradiction.not-local": "{address} is an address of {device}, and the local table has no entry for it",
  "contradiction.no-source": "a route has src {address}, which is on no device",
  "contradiction.unbound": "IPVS serves {address}, which is neither on kube-ipvs0 nor on another device",
  "contradiction.no-set": "{count} rules match on the set {set}, which the complete list of sets does not contain",
  "contradiction.no-set-one": "1 rule matches on the set {set}, which the complete list of sets does not contain",
  "contradiction.no-table": "an ip rule looks up table {table}, which has no route in the list of all tables",
  "contradiction.value": "{key} is {value} in one place and {other} in another",
  "contradiction.device": "device {device} has {value} in one dump and {other} in another",
  "contradiction.no-address": "no address",
  "contradiction.set-twice": "the set {set} is listed twice, with different type or members",
  "contradiction.service-twice":
    "the virtual service {service} is listed twice, with different scheduler or real servers",
  "contradiction.routes-twice": "route table {table} is listed twice, and one list has a line that the other lacks",
  "contradiction.rules-twice": "the ip rules are listed twice, and one list has a line that the other lacks",
} as const;
