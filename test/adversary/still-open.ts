/** Flows of a finding that the walk still answers otherwise than the kernel. The list shrinks: an entry that has become right fails the test. */
export const STILL_OPEN: Readonly<Record<string, readonly string[]>> = {
  "13": [
    "dumps --from stack/c --to 10.8.0.8:8080 --proto tcp",
    "dumps-p02_router_multipath_l3 --from stack/c --to 10.8.0.8:8080 --proto tcp",
  ],
  "14": [
    "dumps --from stack/c --to 10.8.0.8:8080 --proto tcp",
    "dumps --from stack/c --to 10.8.0.8:8080 --proto udp",
    "dumps-r21_multipath_onedead --from stack/c --to 10.8.0.8:8080 --proto tcp",
    "dumps-r22_multipath_l4 --from stack/c --to 10.8.0.8:8080 --proto tcp",
  ],
  "16": [
    "dumps --from stack/c --to 10.1.0.1:80 --proto tcp",
    "dumps-t28_snat_range --from stack/c --to 10.2.0.2:8080 --proto tcp",
  ],
  "17": ["dumps --from stack/c --to 10.2.0.2:8080 --proto tcp"],
  "25": [
    "dumps --from stack/c --to 10.2.0.2:8080 --proto tcp",
    "dumps-m02_ctstate_invalid_plus_proto --from stack/c --to 10.2.0.2:8080 --proto tcp",
    "dumps-m61_ctstate_neg_noct --from stack/c --to 10.2.0.2:8080 --proto udp",
  ],
  "26": [
    "dumps --from pod/default/p1a --to 10.244.2.10:8080 --proto tcp",
    "dumps --from pod/default/p1a --to 10.244.1.11:8080 --proto tcp",
  ],
  "28": ["dumps --from stack/c --to 10.2.0.2:8080 --proto tcp"],
  "31": [
    "dumps --from stack/c --to 10.2.0.2:8080 --proto tcp",
    "dumps-m12_hashlimit_upto_burst2 --from stack/c --to 10.2.0.2:8080 --proto tcp",
    "dumps-m51_hashlimit_above_burst --from stack/c --to 10.2.0.2:8080 --proto tcp",
    "dumps-m14_recent_hitcount --from stack/c --to 10.2.0.2:8080 --proto tcp",
    "dumps-m50_connlimit_existing --from stack/c --to 10.2.0.2:8080 --proto tcp",
  ],
  "32": ["dumps --from stack/c --to 10.2.0.2:8080 --proto tcp", "dumps --from stack/c --to 10.2.0.2:8080 --proto udp"],
  "35": ["dumps --from stack/c --to 10.2.0.2:8080 --proto tcp"],
  "37": ["dumps --from stack/c --to 10.2.0.2:8080 --proto tcp"],
  "38": ["dumps --from pod/default/p --to 10.65.0.3:8080 --proto tcp"],
  "40": [
    "dumps --from stack/c --to 10.2.0.2:8080 --proto tcp",
    "dumps-r47_neigh_noarp --from stack/c --to 10.2.0.2:8080 --proto tcp",
  ],
  "46": [
    "dumps --from stack/a --to 10.1.0.3:8080 --proto tcp",
    "dumps --from node/n --to 10.1.0.3:8080 --proto tcp",
    "dumps-b19_stale_fdb --from stack/a --to 10.1.0.3:8080 --proto tcp",
  ],
  "47": ["dumps --from stack/a --to 10.1.0.1:8080 --proto tcp"],
  "49": [
    "dumps --from stack/x --to 10.1.0.11:8080 --proto tcp",
    "dumps --from pod/default/p --to 10.1.0.9:8080 --proto tcp",
    "dumps --from pod/default/p --to 10.1.0.9 --proto icmp",
    "dumps-v04_macvlan_router --from pod/default/p --to 10.2.0.2:8080 --proto tcp",
    "dumps-v04_macvlan_router --from stack/s --to 10.1.0.11:8080 --proto tcp",
    "dumps-v01_macvlan --from stack/x --to 10.1.0.11:8080 --proto tcp",
    "dumps-v01_macvlan --from pod/default/p --to 10.1.0.9:8080 --proto tcp",
  ],
  "50": ["dumps --from stack/c --to 10.2.0.2:8080 --proto udp --sport 40000"],
};
