import { type Address, parseAddress } from "../../net/index.ts";
import { BALANCER_QUESTIONS, type Fact, type NetworkFact, type StackFact } from "./fact.ts";
import { factId } from "./id.ts";

/** The fact an id names. An id that is none of ours is a fact all the same, of which nothing more is known. */
export function parseFactId(id: string): Fact {
  const fact = networkFact(id) ?? stackFact(id);
  // Another way to write an address would be another id.
  return fact !== undefined && factId(fact) === id ? fact : { kind: "other", id };
}

const NETWORK = /^(fabric|load-balancer|endpoint)\/([^/]+)(?:\/([^/]+))?$/;

function networkFact(id: string): NetworkFact | undefined {
  if (id === "kube-proxy/mode") return { kind: "kube-proxy-mode" };
  if (id === "fabric/srcDstCheck") return { kind: "src-dst-check" };
  if (id.endsWith("/home")) return of(id.slice(0, -"/home".length), (address) => ({ kind: "home", address }));
  const [, head, first, second] = NETWORK.exec(id) ?? [];
  if (head === undefined || first === undefined) return undefined;
  if (head === "fabric")
    return first === "tunnel" ? of(second, (address) => ({ kind: "far-tunnel-end", address })) : undefined;
  if (head === "endpoint") {
    if (second !== undefined && second !== "node") return undefined;
    return of(first, (address) => ({ kind: second === undefined ? "endpoint" : "endpoint-node", address }));
  }
  const what = BALANCER_QUESTIONS.find((w) => w === second);
  return what === undefined ? undefined : of(first, (address) => ({ kind: "load-balancer", address, what }));
}

function of<F extends Fact>(text: string | undefined, make: (address: Address) => F | undefined): F | undefined {
  const address = text === undefined ? undefined : parseAddress(text);
  return address === undefined ? undefined : make(address);
}

/** A stack's name may hold slashes (`default/web-1`): the first word of ours ends it. */
const STACK =
  /^(.+?)\/(sysctl|listen|datagram-source|address|rule|ip-rule|netfilter|nat|ipset|hairpin|chain|loop|limit|recent|owner|SET|ipvs|tunnel|neighbour|arrival|multipath)\/(.+)$/;

function stackFact(id: string): StackFact | undefined {
  const [, stack, kind, rest] = STACK.exec(id) ?? [];
  if (stack === undefined || rest === undefined) return wholeStack(id);
  // Names of devices, sets and chains hold no slash; what stands behind the last or the first one is the other half.
  const last = rest.lastIndexOf("/");
  const first = rest.indexOf("/");
  const [before, behind] = [rest.slice(0, last), rest.slice(last + 1)];
  switch (kind) {
    case "sysctl":
      return { kind, stack, key: rest };
    case "listen":
    case "datagram-source":
      return { kind, stack, port: rest };
    case "address":
    case "arrival":
      return of(rest, (address) => ({ kind, stack, address }));
    case "rule":
    case "ip-rule":
    case "limit":
      return { kind, stack, at: rest };
    case "netfilter":
      return rest === "registered-first" ||
        rest === "native-registered" ||
        rest === "native-order" ||
        rest === "beside-conntrack"
        ? { kind: rest, stack }
        : undefined;
    case "nat":
      return rest === "masquerade" ? { kind: "masquerade", stack } : undefined;
    case "ipvs":
      return rest === "rest" ? { kind: "ipvs-rest", stack } : undefined;
    case "ipset":
      return first < 0 ? undefined : { kind, stack, set: rest.slice(0, first), entry: rest.slice(first + 1) };
    case "hairpin":
      return { kind, stack, port: rest };
    case "chain":
    case "loop":
      return first < 0 ? undefined : { kind, stack, table: rest.slice(0, first), chain: rest.slice(first + 1) };
    case "recent":
      return { kind, stack, list: rest };
    case "owner":
      return { kind, stack, what: rest };
    case "SET":
      return { kind: "set-target", stack, set: rest };
    case "tunnel":
      if (last < 0) return undefined;
      if (behind === "port") return { kind: "tunnel-port", stack, device: before };
      return of(behind, (address) => ({ kind: "tunnel-remote", stack, device: before, address }));
    case "multipath":
      return multipath(stack, rest);
    case "neighbour":
      return last < 0 ? undefined : of(behind, (address) => ({ kind, stack, device: before, address }));
    default:
      return undefined;
  }
}

function wholeStack(id: string): StackFact | undefined {
  const [, stack, kind] = /^(.+)\/(kernel|conntrack)$/.exec(id) ?? [];
  if (stack === undefined) return undefined;
  return { kind: kind === "kernel" ? "kernel" : "conntrack", stack };
}

function multipath(stack: string, rest: string): StackFact | undefined {
  const [iif, from, to, ports] = rest.split("/");
  const [source, destination] = [parseAddress(from ?? ""), parseAddress(to ?? "")];
  if (iif === undefined || source === undefined || destination === undefined) return undefined;
  return { kind: "multipath", stack, iif, source, destination, ...(ports !== undefined && { ports }) };
}
