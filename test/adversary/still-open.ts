/** Flows that no dump decides: the walk has to leave them open, with what the kernel did among what it says. */
export const NOT_IN_THE_DUMPS: Readonly<Record<string, readonly string[]>> = {
  // Which nexthop the hash of the two addresses falls on: its seed is drawn at boot.
  "13": ["dumps-p02_router_multipath_l3 --from stack/c --to 10.8.0.8:8080 --proto tcp"],
};

/** Flows of a finding that the walk still answers otherwise than the kernel. The list shrinks: an entry that has become right fails the test. */
export const STILL_OPEN: Readonly<Record<string, readonly string[]>> = {
  "17": ["dumps --from stack/c --to 10.2.0.2:8080 --proto tcp"],
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
};
