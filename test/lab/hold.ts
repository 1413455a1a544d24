// Started by a test, which then kills it: builds a world with named namespaces and holds it.
import { emptyStack, OBSERVE_ALL, openNetns } from "@hairpin/lab/index.ts";
import { device } from "./world.ts";

const lab = await openNetns();
const stacks = ["a", "b"].map((name) => ({ ...emptyStack(name, "stack"), devices: [device("lo", "loopback")] }));
await lab.run(
  {
    stacks,
    cables: [],
    relays: [],
    listeners: [],
    stimuli: [{ kind: "wait", milliseconds: 60_000 }],
    observe: OBSERVE_ALL,
  },
  { named: true, onProgress: (text) => text.startsWith("wait") && console.log(lab.pid) },
);
