/** Where a node is not as kube-proxy should have programmed it. */
export const differences = {
  "difference.heading": "Not as kube-proxy should have programmed it: {count}",
  "difference.likely-release":
    "{node}: nobody named its release of kube-proxy; compared with {version}, and with nothing that hangs on the release",
  "difference.endpoint-missing": "{service}: endpoint {endpoint} gets no packets; kube-proxy should send some there",
  "difference.endpoint-stray":
    "{service}: packets go to {endpoint}, which is not an endpoint that kube-proxy should use for it",
  "difference.endpoint-changed": "{service}: packets for endpoint {endpoint} go to {other}",
  "difference.endpoint-shares": "{service}: endpoints get the wrong shares: {others} instead of {shares}",
  "difference.address-missing": "{service}: {address} is not served",
  "difference.address-stale": "{service}: {address} is still served, but is not in the objects",
  "difference.masquerade-missing": "{service}: at {where}, packets that should be masqueraded are not ({rule})",
  "difference.masquerade-stray": "{service}: at {where}, packets that should not be masqueraded are ({rule})",
  "difference.masquerade-changed":
    "{service}: at {where}, the wrong packets are masqueraded: {other} instead of {rule}",
  "difference.refusal-missing": "{service}: at {where}, packets should be rejected and are not",
  "difference.refusal-stray": "{service}: at {where}, packets that should not be rejected are",
  "difference.affinity-missing": "{service}: clients of endpoint {endpoint} do not stick to it",
  "difference.affinity-stray": "{service}: clients stick to {endpoint}, and should not",
  "difference.rule-missing": "{table} {chain} is missing a rule of kube-proxy: {rule}",
  "difference.rule-stray": "{table} {chain} has a rule that kube-proxy would not write: {rule}",
  "difference.rule-changed": "{table} {chain} has {other} instead of {rule}",
  "difference.rule-moved":
    "{table} {chain}: this rule is at another position than kube-proxy puts it, and packets are handled differently: {rule}",
  "difference.rules-missing": "table {table} has no rules of kube-proxy",
  "difference.set-missing": "set {set} is missing",
  "difference.set-type": "set {set} has another type than kube-proxy gives it: {other} instead of {kind}",
  "difference.set-entry-missing": "set {set} is missing {entry}",
  "difference.set-entry-stray": "set {set} has {entry}, which it should not",
  "difference.set-entry-changed": "set {set} has {other} instead of {entry}",
  "difference.server-missing": "{service}: {address} has no virtual server",
  "difference.server-stale": "no Service has virtual server {address}",
  "difference.server-changed": "{service}: virtual server {address} is {other}; kube-proxy sets it to {expected}",
  "difference.real-server-missing": "{service}: virtual server {address} is missing {endpoint}",
  "difference.real-server-stray":
    "{service}: virtual server {address} sends packets to {endpoint}, which is not an endpoint that kube-proxy should use for it",
  "difference.real-server-changed": "{service}: virtual server {address} has {other}; kube-proxy sets it to {endpoint}",
  "difference.vip-not-bound": "{service}: {address} is not on kube-ipvs0",
  "difference.vip-stale": "{address} is on kube-ipvs0, and no Service has it",
  "difference.sysctl": "{key} is {value}; kube-proxy sets it to {expected}",
  "difference.leftover-of-mode": "{what} is left over from kube-proxy's {mode} mode; it runs in {now} mode",
  "difference.leftover-of-backend":
    "kube-proxy's chains are in both iptables-legacy and iptables-nft: those of {backend} are left over, and packets still traverse them",
  "difference.foreign-layout": "table {table} is laid out by another release of kube-proxy: {chains}",
  "difference.foreign-version": "chains of another release of kube-proxy than {version}: {chains}",
} as const;
