/** Where a node is not as kube-proxy should have programmed it. */
export const differences = {
  "difference.heading": "Not as kube-proxy should have programmed it: {count}",
  "difference.endpoint-missing": "{service}: endpoint {endpoint} gets no packets; kube-proxy should send some there",
  "difference.endpoint-stray":
    "{service}: packets go to {endpoint}, which is no endpoint of it that kube-proxy should use",
  "difference.endpoint-changed": "{service}: packets for endpoint {endpoint} go to {other}",
  "difference.endpoint-shares": "{service}: endpoints get other shares than they should: {others} instead of {shares}",
  "difference.address-missing": "{service}: {address} is not served",
  "difference.address-stale": "{service}: {address} is still served, which the objects do not say",
  "difference.masquerade-missing": "{service}: at {where}, packets are not masqueraded that should be ({rule})",
  "difference.masquerade-stray": "{service}: at {where}, packets are masqueraded that should not be ({rule})",
  "difference.masquerade-changed":
    "{service}: at {where}, other packets are masqueraded than should be: {other} instead of {rule}",
  "difference.refusal-missing": "{service}: at {where}, packets should be refused and are not",
  "difference.refusal-stray": "{service}: at {where}, packets are refused that should not be",
  "difference.affinity-missing": "{service}: clients that endpoint {endpoint} has served do not come back to it",
  "difference.affinity-stray": "{service}: clients come back to {endpoint}, which should not keep them",
  "difference.rule-missing": "{table} {chain} lacks a rule of kube-proxy: {rule}",
  "difference.rule-stray": "{table} {chain} has a rule that kube-proxy would not write: {rule}",
  "difference.rule-changed": "{table} {chain} has {other} instead of {rule}",
  "difference.rule-moved":
    "{table} {chain}: this rule stands at another place than kube-proxy puts it, and packets fare otherwise: {rule}",
  "difference.rules-missing": "table {table} has no rules of kube-proxy",
  "difference.set-missing": "set {set} is not there",
  "difference.set-type": "set {set} is of another kind than kube-proxy makes it: {other} instead of {kind}",
  "difference.set-entry-missing": "set {set} lacks {entry}",
  "difference.set-entry-stray": "set {set} has {entry}, which it should not",
  "difference.set-entry-changed": "set {set} has {other} instead of {entry}",
  "difference.server-missing": "{service}: {address} has no virtual server",
  "difference.server-stale": "virtual server {address} is one that no Service asks for",
  "difference.server-changed": "{service}: virtual server {address} is {other}; kube-proxy makes it {expected}",
  "difference.real-server-missing": "{service}: virtual server {address} lacks {endpoint}",
  "difference.real-server-stray":
    "{service}: virtual server {address} sends packets to {endpoint}, which is no endpoint of it that kube-proxy should use",
  "difference.real-server-changed": "{service}: virtual server {address} has {other}; kube-proxy makes it {endpoint}",
  "difference.vip-not-bound": "{service}: {address} is not on kube-ipvs0",
  "difference.vip-stale": "{address} is on kube-ipvs0, and no Service has it",
  "difference.sysctl": "{key} is {value}; kube-proxy sets it to {expected}",
  "difference.leftover-of-mode": "{what} is left over of kube-proxy's {mode} mode; it runs in {now} mode",
  "difference.leftover-of-backend":
    "kube-proxy's chains stand in both iptables-legacy and iptables-nft: those of {backend} are left over, and packets still run through them",
  "difference.foreign-version": "chains of another release of kube-proxy than {version}: {chains}",
} as const;
