import type { KubernetesObjects, OtherDatapath } from "../../../model/index.ts";
import { append } from "../../../net/append.ts";
import type { Source } from "../../source.ts";
import { readYaml } from "../yaml/read.ts";
import { Mapping, mapIn, mapsIn, textIn, textsIn, type Value } from "../yaml/value.ts";
import { ObjectContext } from "./context.ts";
import { readEndpointSlice, readEndpoints } from "./endpoints.ts";
import { readKubeProxyConfig } from "./kube-proxy.ts";
import { readIpPool, readNetConf } from "./network-plugins.ts";
import { readNetworkPolicy } from "./network-policy.ts";
import { flannelOf, readNode } from "./node.ts";
import { readCiliumConfig, readFelixConfiguration, readInstallation, readOpenShiftNetwork } from "./other-datapaths.ts";
import { readPod } from "./pod.ts";
import { readService } from "./service.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

/** Objects of one dump as they are found, and what was found of kinds that decide nothing here. */
export class Gathered {
  readonly objects: Writable<KubernetesObjects> = {
    nodes: [],
    pods: [],
    services: [],
    endpoints: [],
    networkPolicies: [],
    kubeProxyConfigs: [],
    ipPools: [],
    flannelNetworks: [],
    flannelSubnets: [],
  };
  readonly otherDatapaths: OtherDatapath[] = [];
  /** Lines of Secrets: nothing in them may be quoted. */
  readonly secrets: (readonly [number, number])[] = [];
  others = 0;
  /** Lists without anything in them: that there is none is worth knowing. */
  emptyLists = 0;
}

const MAX_LISTS = 8;

/** Sorts a document, a List or one object, into what it is. */
export function gather(value: Value, into: Gathered, context: ObjectContext, listed?: string, depth = 0): void {
  if (!(value instanceof Mapping)) return;
  const kind = textIn(value, "kind") ?? listed;
  const items = value.get("items");
  if (items !== undefined && (kind === undefined || kind.endsWith("List")) && depth < MAX_LISTS) {
    // Items of a ServiceList may leave their kind out.
    const each = kind === undefined || kind === "List" ? undefined : kind.slice(0, -4);
    const found = mapsIn(value, "items");
    if (found.length === 0) into.emptyLists++;
    if (found.length === 0 && /^Endpoint(?:s|Slice)List$/.test(kind ?? "")) into.objects.noEndpoints = true;
    for (const item of found) gather(item, into, context, each, depth + 1);
    return;
  }
  if (/^Secret(?:List)?$/.test(kind ?? "")) {
    into.secrets.push([value.line, value.end]);
    context.note(value.lineOf("kind") ?? value.line, "secret", "a Secret is not read");
    return;
  }
  const { objects } = into;
  switch (kind) {
    case "Service":
      // Istio, Knative and others have a kind of that name too.
      if (/^(?:v1)?$/.test(textIn(value, "apiVersion") ?? "")) objects.services.push(readService(value, context));
      else into.others++;
      return;
    case "EndpointSlice":
      objects.endpoints.push(readEndpointSlice(value, context));
      return;
    case "Endpoints":
      append(objects.endpoints, readEndpoints(value, context));
      return;
    case "Node":
      if (/^(?:v1)?$/.test(textIn(value, "apiVersion") ?? "")) objects.nodes.push(readNode(value, context));
      else into.others++;
      return;
    case "Pod":
      objects.pods.push(readPod(value, context));
      return;
    case "NetworkPolicy":
      if (/calico/.test(textIn(value, "apiVersion") ?? "")) into.others++;
      else objects.networkPolicies.push(readNetworkPolicy(value, context));
      return;
    case "KubeProxyConfiguration":
      objects.kubeProxyConfigs.push(readKubeProxyConfig(value, context));
      return;
    case "IPPool":
    case "ipPool":
      append(objects.ipPools, readIpPool(value, context));
      return;
    case "ServiceCIDR": {
      const cidrs = textsIn(value, "spec", "cidrs");
      into.objects.serviceCidrs = [...(into.objects.serviceCidrs ?? []), ...cidrs];
      return;
    }
    case "FelixConfiguration":
      takeOther(readFelixConfiguration(value, context), into);
      return;
    case "Installation":
      takeOther(readInstallation(value, context), into);
      return;
    case "Network":
      takeOther(
        /openshift/.test(textIn(value, "apiVersion") ?? "") ? readOpenShiftNetwork(value, context) : undefined,
        into,
      );
      return;
    case "ConfigMap":
      readConfigMap(value, into, context);
      return;
    default:
      into.others++;
      if (kind === undefined) readExcerpt(value, into, context);
  }
}

function takeOther(datapath: OtherDatapath | undefined, into: Gathered): void {
  if (datapath === undefined) into.others++;
  else into.otherDatapaths.push(datapath);
}

function readConfigMap(object: Mapping, into: Gathered, context: ObjectContext): void {
  const data = mapIn(object, "data");
  if (textIn(object, "metadata", "name") === "cilium-config") takeOther(readCiliumConfig(data, context), into);
  else if (!readData(data, into, context)) into.others++;
}

/** Only two keys of two ConfigMaps matter: kube-proxy's configuration and flannel's network. */
function readData(data: Mapping | undefined, into: Gathered, context: ObjectContext): boolean {
  let read = false;
  for (let i = 0; data !== undefined && i < data.size; i++) {
    const key = data.keyAt(i);
    const text = data.valueAt(i);
    if (typeof text !== "string") continue;
    const line = data.lineAt(i);
    if (key === "net-conf.json") {
      append(into.objects.flannelNetworks, readNetConf(text, line, context));
      read = true;
    } else if (/^kind: ?KubeProxyConfiguration\s*$/m.test(text)) {
      const inner = innerSource(context.source, text, line);
      for (const { value } of readYaml(inner).documents)
        gather(value, into, new ObjectContext(inner), undefined, MAX_LISTS);
      read = true;
    }
  }
  return read;
}

/** A text inside a block scalar is found again line by line; any other form stands in one line. */
function innerSource(source: Source, text: string, line: number): Source {
  const lines = text.split("\n");
  const first = source.lines[line + 1]?.trim() === lines[0]?.trim();
  const number = (i: number) => source.numbers?.[i] ?? source.firstLine + i;
  return {
    file: source.file,
    lines,
    firstLine: number(line),
    numbers: lines.map((_, i) => number(first ? Math.min(line + 1 + i, source.lines.length - 1) : line)),
  };
}

/** An excerpt without a kind: a ConfigMap's data, or annotations of flannel, which still say whose VTEP is where. */
function readExcerpt(value: Mapping, into: Gathered, context: ObjectContext): void {
  let read = readData(mapIn(value, "data") ?? value, into, context);
  const annotations = mapIn(value, "metadata", "annotations") ?? mapIn(value, "annotations") ?? value;
  for (const group of repeated(annotations)) {
    const flannel = flannelOf(group, context);
    if (flannel === undefined) continue;
    into.objects.nodes.push({
      name: textIn(value, "metadata", "name") ?? "",
      addresses: flannel.publicAddress === undefined ? [] : [flannel.publicAddress],
      podCidrs: [],
      flannel,
      origin: flannel.origin,
    });
    read = true;
  }
  if (read) into.others--;
}

/** What grep left of several objects is one mapping in which a key comes again where the next object begins. */
function repeated(value: Mapping): readonly Mapping[] {
  const groups: Mapping[] = [];
  let seen = new Set<string>();
  for (let i = 0; i < value.size; i++) {
    const key = value.keyAt(i);
    if (groups.length === 0 || seen.has(key)) {
      groups.push(new Mapping(value.lineAt(i)));
      seen = new Set();
    }
    seen.add(key);
    groups[groups.length - 1]!.put(key, value.valueAt(i), value.lineAt(i));
  }
  return groups;
}
