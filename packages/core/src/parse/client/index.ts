import type { Dialect } from "../dialect.ts";
import { claim, printsClient } from "./claim.ts";
import { readClient } from "./read.ts";

export const dialects: readonly Dialect[] = [
  {
    id: "client",
    title: "curl, wget, telnet, nc, ping, dig and the like",
    printedBy: printsClient,
    claim,
    read: readClient,
  },
];
