import type { CaseInput } from "../../case/input.ts";
import { readYaml } from "../../kubernetes/yaml/read.ts";
import { type Mapping, mapIn, numberIn, textIn } from "../../kubernetes/yaml/value.ts";
import { sourceOf } from "../../source.ts";

const RESOURCE =
  /(?:^|\/)(addressstatuses|routestatuses|linkstatuses|routingrulestatuses|kernelparamstatuses)\.(?:net|runtime)\.talos\.dev\.yaml$/;

const lines = (all: readonly (string | undefined)[]): string =>
  all.flatMap((line) => (line === undefined ? [] : [`${line}\n`])).join("");
const given = (word: string, value: string | undefined): string =>
  value === undefined || value === "" ? "" : `${word} ${value}`;
const said = (words: readonly string[]): string => words.filter((w) => w !== "").join(" ");
const isIpv4 = (spec: Mapping): boolean => textIn(spec, "family") !== "inet6";

const routes = (specs: readonly Mapping[]): string =>
  lines(
    specs.filter(isIpv4).map((spec) => {
      const type = textIn(spec, "type") ?? "unicast";
      const table = textIn(spec, "table") ?? "main";
      const scope = textIn(spec, "scope");
      const metric = numberIn(spec, "priority") ?? 0;
      return said([
        type === "unicast" ? "" : type,
        (textIn(spec, "dst") ?? "") === "" ? "default" : textIn(spec, "dst")!.replace(/\/32$/, ""),
        given("via", textIn(spec, "gateway")),
        given("dev", textIn(spec, "outLinkName")),
        table === "main" ? "" : `table ${table}`,
        given("proto", textIn(spec, "protocol")),
        scope === "global" ? "" : given("scope", scope),
        given("src", textIn(spec, "src")),
        metric === 0 ? "" : `metric ${metric}`,
      ]);
    }),
  );

const ACTIONS: ReadonlyMap<string, string> = new Map([
  ["blackhole", "blackhole"],
  ["unreachable", "unreachable"],
  ["prohibit", "prohibit"],
]);

const rules = (specs: readonly Mapping[]): string =>
  lines(
    specs.filter(isIpv4).map((spec) => {
      const mark = numberIn(spec, "fwMark") ?? 0;
      const mask = numberIn(spec, "fwMask") ?? 0xffffffff;
      const hex = (n: number): string => `0x${n.toString(16)}`;
      return said([
        `${numberIn(spec, "priority") ?? 0}:\tfrom ${textIn(spec, "src") || "all"}`,
        given("to", textIn(spec, "dst")),
        mark === 0 ? "" : `fwmark ${hex(mark)}${mask === 0xffffffff ? "" : `/${hex(mask)}`}`,
        given("iif", textIn(spec, "iifName")),
        given("oif", textIn(spec, "oifName")),
        ACTIONS.get(textIn(spec, "action") ?? "") ?? `lookup ${textIn(spec, "table") ?? "main"}`,
      ]);
    }),
  );

/** As `ip -j -d link` prints it. */
function links(specs: readonly Mapping[], ids: readonly string[]): string {
  const names = new Map(specs.map((spec, i) => [numberIn(spec, "index"), ids[i]!]));
  const devices = specs.map((spec, i) => {
    const master = numberIn(spec, "masterIndex") ?? 0;
    const peer = numberIn(spec, "linkIndex") ?? 0;
    const kind = textIn(spec, "kind") ?? "";
    return {
      ifindex: numberIn(spec, "index"),
      ifname: ids[i],
      flags: (textIn(spec, "flags") ?? "").split(","),
      mtu: numberIn(spec, "mtu"),
      operstate: (textIn(spec, "operationalState") ?? "unknown").toUpperCase(),
      link_type: textIn(spec, "type"),
      address: textIn(spec, "hardwareAddr"),
      ...(master === 0 ? {} : { master: names.get(master) }),
      ...(peer === 0 || kind !== "veth" ? {} : { link_index: peer, link_netnsid: 0 }),
      ...(kind === "" ? {} : { linkinfo: { info_kind: kind } }),
    };
  });
  return `${JSON.stringify(devices, null, 1)}\n`;
}

/** As `ip -j addr` prints it. */
function addresses(specs: readonly Mapping[]): string {
  const devices = new Map<string, { ifindex: number; ifname: string; flags: string[]; addr_info: unknown[] }>();
  for (const spec of specs) {
    const name = textIn(spec, "linkName") ?? "";
    const own = devices.get(name) ?? {
      ifindex: numberIn(spec, "linkIndex") ?? 0,
      ifname: name,
      flags: ["UP"],
      addr_info: [],
    };
    const [local, length] = (textIn(spec, "address") ?? "").split("/");
    const family = isIpv4(spec) ? "inet" : "inet6";
    own.addr_info.push({ family, local, prefixlen: Number(length), scope: textIn(spec, "scope"), label: name });
    devices.set(name, own);
  }
  return `${JSON.stringify([...devices.values()], null, 1)}\n`;
}

const sysctls = (specs: readonly Mapping[], ids: readonly string[]): string =>
  lines(
    specs.map((spec, i) => {
      const [, key] = /^proc\.sys\.(.+)$/.exec(ids[i]!) ?? [];
      const value = textIn(spec, "current") ?? numberIn(spec, "current");
      return key === undefined || value === undefined ? undefined : `${key} = ${value}`;
    }),
  );

/** Talos has no `ip`: what its resources say, as the tools of other systems would have printed it. */
export function talosResources(input: CaseInput): readonly CaseInput[] | undefined {
  const resource = RESOURCE.exec(input.path)?.[1];
  if (resource === undefined || input.text === undefined) return undefined;
  const documents = readYaml(sourceOf(input.path, input.text)).documents.flatMap(({ value }) => {
    const spec = mapIn(value, "spec");
    return spec === undefined ? [] : [{ spec, id: textIn(value, "metadata", "id") ?? "" }];
  });
  const specs = documents.map((d) => d.spec);
  const ids = documents.map((d) => d.id);
  const [name, text] =
    resource === "routestatuses"
      ? ["ip-route", routes(specs)]
      : resource === "routingrulestatuses"
        ? ["ip-rule", rules(specs)]
        : resource === "linkstatuses"
          ? ["ip-link.json", links(specs, ids)]
          : resource === "addressstatuses"
            ? ["ip-addr.json", addresses(specs)]
            : ["sysctl", sysctls(specs, ids)];
  return [{ path: `${input.path}/${name}`, within: `${input.within ?? input.path}/${name}`, text }];
}
