import type { PatchRefusal } from "../../model/faults/patch-refusal.ts";
import { type Text, text, verbatim } from "../text.ts";
import type { Renderers } from "./render.ts";

const REFUSALS: Renderers<PatchRefusal> = {
  answered: ({ answer }) => verbatim(answer),
  "not-understood": ({ tool, detail }) => text("refused.not-understood", { tool, detail }),
  "several-commands": ({ operator }) => text("refused.several-commands", { operator }),
  "not-modelled": ({ tool }) => text("refused.not-modelled", { tool }),
  "only-modelled": ({ tool, form }) => text("refused.only-modelled", { tool, form }),
  "word-not-modelled": ({ tool, word }) => text("refused.word-not-modelled", { tool, word }),
  "changes-nothing": ({ tool }) => text("refused.changes-nothing", { tool }),
  "no-value": () => text("refused.no-value"),
  empty: () => text("refused.empty"),
  unspeakable: ({ detail }) => text("refused.unspeakable", { detail }),
  "no-node": ({ name, names }) =>
    text("refused.no-node", { name, names: names.length === 0 ? text("error.none") : names }),
  "no-nodes": () => text("refused.no-nodes"),
  "which-node": ({ names }) => text("refused.which-node", { names }),
  "no-device": ({ stack, device }) => text("refused.no-device", { stack, device }),
  "of-the-cluster": () => text("refused.of-the-cluster"),
  "no-service": ({ name }) => text("refused.no-service", { name }),
  "no-endpoints-shown": ({ name, namespace }) => text("refused.no-endpoints-shown", { name, namespace }),
  "no-node-programmed": ({ name }) => text("refused.no-node-programmed", { name }),
  "no-chain": ({ stack, chain }) => text("refused.no-chain", { stack, chain }),
  "no-field": () => text("refused.no-field"),
  "say-field": () => text("refused.say-field"),
  "not-json": () => text("refused.not-json"),
  "field-not-modelled": ({ field, fields }) => text("refused.field-not-modelled", { field, fields }),
  "not-a-value": ({ value, field }) => text("refused.not-a-value", { value, field }),
};

/** Why a typed command changes nothing, for people. */
export function refusalText(refusal: PatchRefusal): Text {
  const render = REFUSALS[refusal.kind] as (r: PatchRefusal) => Text;
  return render(refusal);
}
