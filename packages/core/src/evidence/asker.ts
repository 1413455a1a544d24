import { text } from "../messages/index.ts";
import { assumed, type Sees } from "../model/index.ts";
import type { Judgement } from "../trace/index.ts";
import type { Testimony } from "./losses.ts";
import { SYMPTOMS } from "./symptoms.ts";

const KIND: Readonly<Record<Sees, Testimony["kind"]>> = {
  works: "success",
  timeout: "loss",
  refused: "loss",
  unreachable: "loss",
  reset: "loss",
  stalled: "loss",
  intermittent: "mixed",
  slow: "mixed",
};

/** The asker's own word on what the client sees: no line of a dump shows it, and it is about this flow and no other. */
export const askersWord = (sees: Sees): Testimony => ({
  kind: KIND[sees],
  text: text(`asker.${sees}`),
  outcome: sees,
  byAsker: true,
  origin: assumed("--sees"),
});

/** Whether what the walk lets the client see is what the asker says that it sees. */
export function agrees(sees: Sees, { verdict, clientSees }: Pick<Judgement, "verdict" | "clientSees">): boolean {
  if (verdict === "undetermined") return true;
  if (sees === "works") return verdict === "reachable";
  if (KIND[sees] === "mixed") return verdict === "intermittent";
  if (verdict === "reachable") return false;
  return clientSees === null || (SYMPTOMS[sees] ?? []).includes(clientSees);
}
