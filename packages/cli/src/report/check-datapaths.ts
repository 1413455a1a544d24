import type { CheckReport } from "@hairpin/core/check/index.ts";
import { type Lang, say, type Text, text } from "@hairpin/core/messages/index.ts";
import { wrap } from "./layout.ts";
import { printable, type Style } from "./style.ts";

type Datapath = CheckReport["otherDatapaths"][number];

const MAX_LISTED = 20;
const some = (all: readonly string[]): readonly string[] =>
  all.length > MAX_LISTED ? [...all.slice(0, MAX_LISTED), "…"] : all;

const SERVICES: Readonly<Record<"all" | "pods", Text>> = {
  all: text("datapath.instead"),
  pods: text("datapath.beside"),
};

/** Which program is where, with the devices that have it. */
function hookTexts({ hooks }: Datapath): readonly Text[] {
  const devices = new Map<string, { readonly hook: string; readonly program: string; readonly on: string[] }>();
  for (const { device, hook, program } of hooks) {
    const entry = devices.get(`${hook} ${program}`) ?? { hook, program, on: [] };
    entry.on.push(device);
    devices.set(`${hook} ${program}`, entry);
  }
  return [...devices.values()].map(({ hook, program, on }) =>
    hook === "any"
      ? text("datapath.held", { program, devices: some(on) })
      : text("datapath.hook", { program, hook, devices: some(on) }),
  );
}

function textsOf(d: Datapath): readonly Text[] {
  const open: Text[] = [];
  if (d.openIn.length > 0) open.push(text("datapath.open-in", { devices: some(d.openIn) }));
  if (d.openOut.length > 0) open.push(text("datapath.open-out", { devices: some(d.openOut) }));
  if (d.sockets === "all") open.push(text("datapath.open-sockets", { node: d.node }));
  if (d.sockets === "node") open.push(text("datapath.open-node-sockets", { node: d.node }));
  return [
    ...(d.services === null ? (d.owner === null ? [] : [text("datapath.services-unknown")]) : [SERVICES[d.services]]),
    ...hookTexts(d),
    ...(d.frontends.length === 0 ? [] : [text("datapath.frontends", { services: some(d.frontends) })]),
    ...open,
    text("datapath.decided"),
  ];
}

/** Which datapaths are not walked, what they hold, and which questions stay open for it. */
export function datapathsText({ otherDatapaths }: CheckReport, style: Style, lang: Lang): readonly string[] {
  if (otherDatapaths.length === 0) return [];
  const line = (what: Text, indent: number): readonly string[] => wrap(printable(say(what, lang)), indent, indent + 2);
  return [
    style.bold(say(text("datapath.heading"), lang)),
    ...otherDatapaths.flatMap((d) => [
      ...line(
        d.owner === null
          ? text("datapath.nobodys", { node: d.node })
          : text("datapath.title", { owner: d.owner, node: d.node }),
        2,
      ),
      ...textsOf(d).flatMap((t) => line(t, 4)),
    ]),
    "",
  ];
}
