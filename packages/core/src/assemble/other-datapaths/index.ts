import {
  type DatapathOwner,
  type Device,
  type Extent,
  type IptablesTable,
  isKubeProxyTable,
  isOfSwitch,
  type KubernetesObjects,
  type NftTable,
  type Origin,
  type OtherDatapath,
  ownersShown,
} from "../../model/index.ts";
import type { Dump } from "../../parse/index.ts";
import { dumpedIn } from "../dumped.ts";
import { isKubeProxys } from "../netfilter/not-shown.ts";

export { withPrograms } from "./programs.ts";

/** What tells of the datapaths of a node. */
export interface DatapathTraces {
  readonly node: string;
  readonly devices: readonly Device[];
  readonly devicesExtent: Extent;
  readonly tables: readonly IptablesTable[];
  readonly nft: readonly NftTable[];
  readonly objects: KubernetesObjects;
}

type Settings = Partial<Pick<OtherDatapath, "services" | "sockets" | "cards" | "frontends">>;

/**
 * The datapaths of a node that are not walked. Its devices and its own tools tell that one is there; how it is set up is told by its
 * own tools, then by the cluster's configuration, then by whether kube-proxy wrote anything beside it.
 */
export function otherDatapathsOf(traces: DatapathTraces, dumps: readonly Dump[]): readonly OtherDatapath[] {
  const { node, devices, devicesExtent, objects } = traces;
  const own = dumpedIn(dumps, "other-datapath").map((d) => d.fact.datapath);
  const ofCluster = (objects.otherDatapaths ?? []).filter((d) => d.node === undefined || d.node === node);
  const there = new Map<DatapathOwner, Origin>([...ownersShown(devices)].map(([owner, d]) => [owner, d.origin]));
  const switched = [...there.keys()].some(isOfSwitch);
  for (const { owner, origin } of own)
    if (!there.has(owner) && !(owner === "Open vSwitch" && switched)) there.set(owner, origin);
  // A list of devices without any of its own says that it is not on this node; Calico's eBPF mode has none in some releases.
  for (const { owner, origin } of ofCluster)
    if (!there.has(owner) && (devicesExtent === "unread" || owner === "Calico")) there.set(owner, origin);
  return [...there].map(([owner, origin]): OtherDatapath => {
    const said = [...own, ...ofCluster].filter((d) => d.owner === owner);
    return { owner, ...defaultsOf(owner), ...besideKubeProxy(owner, traces), ...settingsOf(said), origin };
  });
}

const defaultsOf = (owner: DatapathOwner): Settings => {
  if (owner === "Calico") return { services: "all", sockets: "all", cards: true };
  if (owner === "OVN-Kubernetes") return { services: "all", sockets: "none" };
  return owner === "Antrea" ? { services: "pods", sockets: "none" } : {};
};

/** Cilium without a word on how it is set up: kube-proxy's rules say that it runs beside; tables without any that it was replaced. */
function besideKubeProxy(owner: DatapathOwner, { tables, nft }: DatapathTraces): Settings {
  if (owner !== "Cilium") return {};
  if (tables.some(isKubeProxys) || nft.some((t) => isKubeProxyTable(t.name)))
    return { services: "pods", sockets: "none", cards: false };
  const nat = tables.filter((t) => t.name === "nat" && t.family === 4);
  return nat.length > 0 && nat.every((t) => t.extent === "whole")
    ? { services: "all", sockets: "all", cards: true }
    : {};
}

/** The first who says something of it; lists of Services add up. */
function settingsOf(said: readonly OtherDatapath[]): Settings {
  const services = said.find((d) => d.services !== undefined)?.services;
  const sockets = said.find((d) => d.sockets !== undefined)?.sockets;
  const cards = said.find((d) => d.cards !== undefined)?.cards;
  const lists = said.flatMap((d) => (d.frontends === undefined ? [] : [d.frontends]));
  return {
    ...(services !== undefined && { services }),
    ...(sockets !== undefined && { sockets }),
    ...(cards !== undefined && { cards }),
    ...(lists.length > 0 && { frontends: lists.flat() }),
  };
}
