/** Flows that no dump decides: the walk has to leave them open, with what the kernel did among what it says. */
export const NOT_IN_THE_DUMPS: Readonly<Record<string, readonly string[]>> = {
  // Which nexthop the hash of the two addresses falls on: its seed is drawn at boot.
  "13": ["dumps-p02_router_multipath_l3 --from stack/c --to 10.8.0.8:8080 --proto tcp"],
};

/** Flows of a finding that the walk still answers otherwise than the kernel. The list shrinks: an entry that has become right fails the test. */
export const STILL_OPEN: Readonly<Record<string, readonly string[]>> = {
  // `ip neigh` shows no NOARP entry: only `ip neigh show nud all` would.
  "40": ["dumps-r47_neigh_noarp --from stack/c --to 10.2.0.2:8080 --proto tcp"],
};
