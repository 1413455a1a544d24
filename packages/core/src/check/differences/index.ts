import { mergeObjects } from "../../assemble/kubernetes-objects.ts";
import type { Element } from "../../compare/index.ts";
import { type Programmed, type ProxyInput, programme, programmeIptables, viewOf } from "../../kubernetes/index.ts";
import { programmeIpvs } from "../../kubernetes/ipvs/index.ts";
import { text } from "../../messages/index.ts";
import { type CaseFile, type IptablesTable, PROXY_CHAIN, type VirtualService } from "../../model/index.ts";
import { type Address, familyOf, formatAddress } from "../../net/index.ts";
import type { Dump } from "../../parse/case/dump.ts";
import type { CaseInput } from "../../parse/case/input.ts";
import { viewsOf } from "../view.ts";
import { type Actual, actualOf } from "./actual.ts";
import { byEndpoint } from "./by-endpoint.ts";
import { classify } from "./classify.ts";
import type { Draft } from "./draft.ts";
import { expectationOf } from "./input.ts";
import { tableDifferences } from "./iptables.ts";
import { boundDifferences, type ExpectedServers, serverDifferences } from "./ipvs.ts";
import { isKubelets } from "./kubelets.ts";
import { backendLeftovers, foreignVersion, modeLeftovers } from "./leftovers.ts";
import { listedIn } from "./listed.ts";
import { nftDifferences } from "./nft.ts";
import { RightNodes } from "./right-nodes.ts";
import { serviceOf } from "./rule-texts.ts";
import { isServedBySets, setDifferences } from "./sets.ts";

export type { DifferenceCode, Draft } from "./draft.ts";

/** What hangs on settings that nobody showed is not held against a node: pod networks, marks, schedulers, switches. */
const BY_CONFIGURATION = /^(?:MASQUERADE_|RULE_|SYSCTL_|VIRTUAL_SERVER_CHANGED|SET_TYPE)/;

/** What hangs on the release, where that is only likely. */
const BY_RELEASE = /^(?:RULE_|MASQUERADE_|REFUSAL_|SET_|SYSCTL_|FOREIGN_VERSION|LEFTOVER_OF_MODE)/;

export interface NodeDifferences {
  readonly node: string;
  /** The release it was compared with, where nobody named it. */
  readonly likely?: string;
  readonly drafts: readonly Draft[];
}

/** Node by node, where what was shown is not what kube-proxy should have programmed from the objects. */
export function differencesOf(
  dumps: readonly Dump[],
  inputs: readonly CaseInput[],
  caseFile: CaseFile | undefined,
): readonly NodeDifferences[] {
  const objects = mergeObjects(dumps);
  if (objects.nodes.length === 0) return [];
  const views = viewsOf(dumps.filter((d) => d.context.moment?.value !== "after")).filter((v) => v.own);
  const listed = listedIn(dumps, inputs);
  const right = new RightNodes();
  return views.flatMap((view) => {
    const actual = actualOf(view);
    const expectation = expectationOf(view, actual, objects, listed, caseFile, views.length);
    if (expectation === undefined) return [];
    const { input, complete, configured, likely } = expectation;
    // Whoever asks for one node does not wait for all of them.
    let drafts: readonly Draft[] | undefined;
    const differences = (of: ProxyInput): readonly Draft[] =>
      merged(nodeDifferences(actual, of, complete)).filter(
        (d) =>
          (configured || !(BY_CONFIGURATION.test(d.code) || d.key.startsWith("configured "))) &&
          (likely === undefined || !BY_RELEASE.test(d.code)),
      );
    return [
      {
        node: view.node,
        ...(likely !== undefined && { likely }),
        get drafts() {
          if (drafts === undefined) {
            const isRight = right.isLikeOne(actual, expectation);
            drafts = isRight ? [] : byEndpoint(differences(input), input, actual, differences);
            if (!isRight && drafts.length === 0) right.note(actual, expectation);
          }
          return drafts;
        },
      },
    ];
  });
}

function nodeDifferences(actual: Actual, input: ProxyInput, complete: boolean): readonly Draft[] {
  const made = programme(input);
  if (made.kind !== "programmed") return [];
  const { drafts, used } = backendLeftovers(actual.tables);
  const sets = made.families.flatMap((f) => f.sets);
  const families = made.families.filter((f) => isServed(f, actual));
  const foreign = input.config.mode === "iptables" ? foreignVersion(used, input.version) : [];
  const supplied = new Set(input.services.map((s) => `${s.namespace}/${s.name}`));
  const rules =
    foreign.length > 0
      ? []
      : families.flatMap((f) =>
          ruleDifferences(
            f,
            once(() => ownTables(input, f)),
            used,
            complete,
            supplied,
          ),
        );
  const servers = expectedServers(families, input, complete);
  return [
    ...drafts,
    ...modeLeftovers(input.config.mode, actual, new Set(sets.map((s) => s.name))),
    ...foreign,
    ...rules,
    ...(input.config.mode === "ipvs"
      ? [
          ...families.flatMap((f) => setDifferences(f, actual, complete)),
          ...serverDifferences(servers, actual),
          ...boundDifferences(
            families.flatMap((f) => f.addresses),
            servers,
            actual,
          ),
        ]
      : []),
    ...(input.config.mode === "nftables"
      ? families.flatMap((f) => nativeDifferences(f, input, actual)).filter((d) => complete || isOfGiven(d, supplied))
      : []),
    ...sysctlDifferences(families, actual),
  ];
}

/** Of Services that nobody gave, what is there says nothing. */
const isOfGiven = ({ code, service }: Draft, given: ReadonlySet<string>): boolean =>
  !/_(?:STRAY|STALE)$/.test(code) || (service !== undefined && given.has(service.split(":")[0]!));

/** kube-proxy's table of one family; where the ruleset was shown and has none, all of it is missing. */
function nativeDifferences({ nft = [] }: Programmed, { config }: ProxyInput, actual: Actual): readonly Draft[] {
  return nft.flatMap((expected): readonly Draft[] => {
    const found = actual.nft.find((t) => t.family === expected.family && t.name === expected.name);
    if (found === undefined)
      return actual.rulesetWhole
        ? [
            {
              key: `rules ${expected.family} ${expected.name}`,
              code: "RULES_MISSING",
              text: text("difference.rules-missing", { table: `${expected.family} ${expected.name}` }),
              expected: [expected.origin],
              actual: [],
            },
          ]
        : [];
    return found.extent === "whole" ? nftDifferences(expected, found, config.serviceCidrs !== undefined) : [];
  });
}

/** Whether kube-proxy serves a family on this node is seen by its having written anything of it; nothing is said of one it does not. */
function isServed(
  { family, sets, mode }: Programmed,
  { tables, sets: shown, servers, nft, rulesetWhole }: Actual,
): boolean {
  if (mode === "nftables") {
    const own = nft.some((t) => t.family === (family === 4 ? "ip" : "ip6"));
    return own || (rulesetWhole && family === 4 && nft.length === 0);
  }
  if (tables.some((t) => t.family === family && t.name === "nat")) return true;
  const ofFamily = (a: Address): boolean => familyOf(a) === family;
  if (servers?.items.some(({ key }) => key.kind === "address" && ofFamily(key.address)) === true) return true;
  return shown !== undefined && isServedBySets(sets, shown.items, family);
}

/** The Service whose rule it is, without its port. */
const nameOf = ({ sides }: Element): string | undefined =>
  serviceOf([...sides!.a, ...sides!.b, ...[...sides!.path].reverse()])?.split(":")[0];

/** Made when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** What kube-proxy writes by itself, without kubelet. */
const ownTables = (input: ProxyInput, { family, mode }: Programmed): readonly IptablesTable[] =>
  (mode === "ipvs" ? programmeIpvs : programmeIptables)(viewOf(input, family)).tables;

function ruleDifferences(
  family: Programmed,
  own: () => readonly IptablesTable[],
  actual: readonly IptablesTable[],
  complete: boolean,
  provided: ReadonlySet<string>,
): readonly Draft[] {
  return family.tables.flatMap((expected): readonly Draft[] => {
    const found = actual.find((t) => t.name === expected.name && t.family === expected.family);
    if (found === undefined || found.extent !== "whole") return [];
    // In nftables mode it writes none there: what is expected is kubelet's.
    const [wanted, there] = [expected, found].map((t) => t.chains.some((c) => c.name === PROXY_CHAIN.services));
    const lacks = expected.name === "nat" && wanted && !there;
    if (lacks) {
      const message = text("difference.rules-missing", { table: expected.name });
      return [
        {
          key: `rules ${expected.name} ${expected.family}`,
          code: "RULES_MISSING",
          text: message,
          expected: [expected.origin],
          actual: [found.origin],
        },
      ];
    }
    return tableDifferences(expected, found)
      .filter((d) => !isKubelets(d, () => own().find((t) => t.name === expected.name)))
      .flatMap((d) => {
        // Of Services that nobody gave, their rules say nothing.
        const strange = !complete && d.element.change === "only in B" && !provided.has(nameOf(d.element) ?? "");
        return strange ? [] : classify(d);
      });
  });
}

function expectedServers(families: readonly Programmed[], input: ProxyInput, complete: boolean): ExpectedServers {
  const servers = families.flatMap((f) => f.virtualServers);
  const nodePorts = new Set(input.services.flatMap((s) => s.ports.flatMap((p) => p.nodePort ?? [])));
  const bound = new Set(families.flatMap((f) => f.addresses.map(formatAddress)));
  const isNodePort = ({ key }: VirtualService): boolean =>
    key.kind === "address" && nodePorts.has(key.port) && !bound.has(formatAddress(key.address));
  const names = serverNames(input);
  const serviceName = ({ key }: VirtualService): string | undefined =>
    key.kind !== "address"
      ? undefined
      : (names.get(`${key.protocol} ${formatAddress(key.address)} ${key.port}`) ??
        names.get(`${key.protocol} ${key.port}`));
  return { servers, serviceOf: serviceName, isNodePort, nodePorts, complete };
}

/** Service ports by protocol, address and port; node ports by protocol and port. */
function serverNames({ services }: ProxyInput): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const s of services) {
    for (const p of s.ports) {
      const name = `${s.namespace}/${s.name}${p.name === undefined || p.name === "" ? "" : `:${p.name}`}`;
      for (const address of [...s.clusterIps, ...s.loadBalancerIps, ...s.externalIps])
        names.set(`${p.protocol} ${formatAddress(address)} ${p.port}`, name);
      if (p.nodePort !== undefined) names.set(`${p.protocol} ${p.nodePort}`, name);
    }
  }
  return names;
}

function sysctlDifferences(families: readonly Programmed[], actual: Actual): readonly Draft[] {
  const expected = new Map(families.flatMap((f) => f.sysctls.map((s) => [s.key, s] as const)));
  return [...expected.values()].flatMap((s): readonly Draft[] => {
    const found = actual.sysctls.get(s.key);
    if (found === undefined || found.value === s.value) return [];
    const said = text("difference.sysctl", { key: s.key, value: found.value, expected: s.value });
    return [
      { key: `sysctl ${s.key}`, code: "SYSCTL_DIFFERS", text: said, expected: [s.origin], actual: [found.origin] },
    ];
  });
}

/** One difference seen at several places is one: an endpoint is missing from a Service, not from four of its chains. */
function merged(drafts: readonly Draft[]): readonly Draft[] {
  const out = new Map<string, Draft>();
  for (const draft of drafts) {
    const known = out.get(draft.key);
    out.set(
      draft.key,
      known === undefined
        ? draft
        : {
            ...together(known, draft),
            expected: [...known.expected, ...draft.expected],
            actual: [...known.actual, ...draft.actual],
          },
    );
  }
  return [...out.values()];
}

/** At all the addresses at which it was seen. Who gets no packets at all is not kept by affinity either. */
function together(a: Draft, b: Draft): Draft {
  if (a.code.startsWith("AFFINITY")) return b;
  const [one, two] = [a.text.params.address, b.text.params.address];
  if (a.code !== b.code || typeof two !== "string" || one === undefined || typeof one === "number") return a;
  const all = [...(Array.isArray(one) ? one : [one as string]), two];
  return { ...a, text: { ...a.text, params: { ...a.text.params, address: [...new Set(all)] } } };
}
