import type { Others, QuestionFault } from "../../model/faults/question-fault.ts";
import { type Text, text } from "../text.ts";
import type { Renderers } from "./render.ts";

const listed = (names: readonly string[]): Text | string =>
  names.length === 0 ? text("error.none") : names.join(", ");

const either = (names: readonly string[]): Text | string =>
  names.reduce<Text | string>((a, b) => (a === "" ? b : text("fault.or", { a, b })), "");

function othersText(others: Others): Text {
  if (others.kind === "none") return text("fault.others-none");
  if (others.kind === "near") return text("fault.others-near", { names: either(others.names) });
  const names = others.names.join(", ");
  return others.more === 0 ? text("fault.others", { names }) : text("fault.others-more", { names, more: others.more });
}

const familyText = (family: number | undefined): Text | string => (family === undefined ? "" : `IPv${family} `);

const FAULTS: Renderers<QuestionFault> = {
  "no-asker": ({ known, all }) =>
    all > known.length
      ? text("fault.no-asker-more", { known: known.join(", "), all })
      : text("fault.no-asker", { known: [...known, ""].join(", ") }),
  "no-asked": () => text("fault.no-asked"),
  protocol: ({ given }) => text("fault.protocol", { given }),
  "other-family": ({ given, address, family }) => text("fault.other-family", { given, address, family }),
  "no-device": ({ option, device, stack }) => text("fault.no-device", { option, device, stack }),
  "no-stack": ({ name, names }) => text("fault.no-stack", { name, names: listed(names) }),
  "no-pod": ({ name }) => text("fault.no-pod", { name }),
  "service-asks": ({ name }) => text("fault.service-asks", { name }),
  "no-family-address": ({ name, family }) => text("fault.no-family-address", { name, family: familyText(family) }),
  "nobody-so-written": ({ side, given }) =>
    side === "from" ? text("fault.not-from", { given }) : text("fault.not-to", { given }),
  "several-nodes": () => text("fault.several-nodes"),
  "no-target": ({ given }) => text("fault.no-target", { given }),
  "port-needed": ({ given }) => text("fault.port-needed", { given, same: given }),
  "no-such-port": ({ given }) => text("fault.no-such-port", { given }),
  "no-address": ({ stack, family }) => text("fault.no-address", { stack, family: familyText(family) }),
  "several-so-called": ({ name, names }) => text("fault.several-so-called", { name, names: names.join(", ") }),
  "nobody-so-called": ({ side, name, others }) =>
    text("fault.nobody-so-called", { side, name, others: othersText(others) }),
  "no-node": ({ name, others }) => text("fault.no-node", { name, others: othersText(others) }),
  "no-service": ({ name, others }) => text("fault.no-service", { name, others: othersText(others) }),
  "external-name": ({ name }) => text("fault.external-name", { name }),
  "say-port": ({ name, protocol, ports }) =>
    text("fault.say-port", { name, protocol, ports: listed(ports), same: name }),
  "no-node-port": ({ name, port }) => text("fault.no-node-port", { name, port }),
  "say-node": () => text("fault.say-node"),
  via: ({ given }) => text("fault.via", { given }),
  "no-service-address": ({ name, family, via }) =>
    text("fault.no-service-address", { name, family: familyText(family), via }),
  headless: ({ name, pods }) =>
    text("fault.headless", { name, pods: pods.length === 0 ? text("fault.none-known") : pods.join(", ") }),
};

/** Why a question cannot be asked, for people. */
export function faultText(fault: QuestionFault): Text {
  const render = FAULTS[fault.kind] as (f: QuestionFault) => Text;
  return render(fault);
}
