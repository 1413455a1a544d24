import type { Decision } from "../../model/index.ts";
import { type Lang, say, type Text } from "../text.ts";
import { fabric } from "./fabric.ts";
import { ipvs } from "./ipvs.ts";
import { link } from "./link.ts";
import { netfilter } from "./netfilter.ts";
import type { Renderers } from "./render.ts";
import { routing } from "./routing.ts";
import { socket } from "./socket.ts";
import { tunnel } from "./tunnel.ts";
import { unknown } from "./unknown.ts";

/** Made when first asked for: groups that nest decisions import this file. */
let renderers: Renderers<Decision> | undefined;

/** What was decided, told. The only place where events become text. */
export function decisionText(decision: Decision): Text {
  renderers ??= { ...netfilter, ...routing, ...link, ...ipvs, ...tunnel, ...socket, ...fabric, ...unknown };
  return (renderers[decision.kind] as (event: Decision) => Text)(decision);
}

export const sayDecision = (decision: Decision, lang: Lang = "en"): string => say(decisionText(decision), lang);
