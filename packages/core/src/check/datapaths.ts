import { assemble } from "../assemble/index.ts";
import { datapathsOfAgents } from "../assemble/other-datapaths/agents.ts";
import { type CaseFile, type Device, isMet, type OtherDatapath, ownersShown, type Stack } from "../model/index.ts";
import { familyOf, formatAddress, protocolName } from "../net/index.ts";
import type { Dump } from "../parse/case/dump.ts";

/** A datapath of a node that is not walked: which hooks it holds, which Services it takes, and so what stays open. */
export interface DatapathReport {
  readonly node: string;
  /** Null: programs of nobody known. */
  readonly owner: OtherDatapath["owner"] | null;
  /** Whose Services it translates: `all` in the place of kube-proxy, `pods` beside it; null: not shown. */
  readonly services: "all" | "pods" | null;
  /** Whose sockets have a Service translated while they connect. */
  readonly sockets: "none" | "node" | "all" | null;
  readonly hooks: readonly { readonly device: string; readonly hook: string; readonly program: string }[];
  /** Services that its own list names. */
  readonly frontends: readonly string[];
  /** Packets that come in, and that leave, by these devices are undetermined; all others are walked. */
  readonly openIn: readonly string[];
  readonly openOut: readonly string[];
}

/** Cheap: most cases have none, and need not be put together for it. */
const mayHaveOne = ({ reading }: Dump): boolean =>
  reading.facts.some(
    (f) =>
      f.kind === "programs" ||
      f.kind === "other-datapath" ||
      (f.kind === "devices" && (ownersShown(f.devices).size > 0 || f.devices.some((d) => d.programs !== undefined))) ||
      (f.kind === "kubernetes" &&
        (f.objects.otherDatapaths !== undefined || datapathsOfAgents(f.objects.pods).length > 0)),
  );

export function datapathsOf(dumps: readonly Dump[], caseFile: CaseFile | undefined): readonly DatapathReport[] {
  if (!dumps.some(mayHaveOne)) return [];
  return assemble(dumps, caseFile)
    .world.stacks.filter((s) => s.kind === "node")
    .flatMap(reportsOf);
}

function reportsOf({ name: node, devices, otherDatapaths = [] }: Stack): readonly DatapathReport[] {
  const held = devices.items.filter((d) => d.programs !== undefined);
  const hooks = held.flatMap((d) =>
    (d.programs ?? []).map((p) => ({ device: d.name, hook: p.hook === "both" ? "any" : p.hook, program: p.name })),
  );
  const met = (way: "receive" | "transmit"): readonly string[] =>
    held.filter((d: Device) => d.programs?.some((p) => isMet(p, way))).map((d) => d.name);
  const [openIn, openOut] = [met("receive"), met("transmit")];
  if (otherDatapaths.length === 0)
    return held.length === 0
      ? []
      : [{ node, owner: null, services: null, sockets: null, hooks, frontends: [], openIn, openOut }];
  return otherDatapaths.map(({ owner, services = null, sockets = null, frontends = [] }) => ({
    node,
    owner,
    services,
    sockets,
    hooks,
    frontends: frontends.map(({ address, port, protocol }) => {
      const host = familyOf(address) === 6 ? `[${formatAddress(address)}]` : formatAddress(address);
      return `${host}:${port}${protocol === undefined ? "" : `/${protocolName(protocol)}`}`;
    }),
    openIn,
    openOut,
  }));
}
