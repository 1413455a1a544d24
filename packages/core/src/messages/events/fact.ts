import { type Fact, parseFactId } from "../../model/index.ts";
import { shellLine } from "../../model/shell.ts";
import { formatAddress, isUnspecified } from "../../net/index.ts";
import { type Text, text } from "../text.ts";

const RP_FILTER = /^net\.ipv4\.conf\.(.+)\.rp_filter$/;

/** A fact, said for people. Its id stays what `--assume` takes. */
export function factText(id: string): Text {
  const fact = parseFactId(id);
  switch (fact.kind) {
    case "src-dst-check":
      return text("fact.src-dst-check");
    case "load-balancer": {
      const address = formatAddress(fact.address);
      if (fact.what === "preserveClient") return text("fact.preserve-client", { address });
      return fact.what === "target" || fact.what === "node"
        ? text("fact.balancer-target", { address })
        : text("fact.other", { id });
    }
    case "kube-proxy-mode":
      return text("fact.mode");
    case "home":
      return text("fact.home", { address: formatAddress(fact.address) });
    case "endpoint":
      return text("fact.endpoint", { address: formatAddress(fact.address) });
    case "sysctl": {
      const { stack, key } = fact;
      const device = RP_FILTER.exec(key)?.[1];
      return device === undefined ? text("fact.sysctl", { stack, key }) : text("fact.rp-filter", { stack, device });
    }
    case "listen":
      return text("fact.listen", { stack: fact.stack, port: fact.port });
    case "datagram-source":
      return text("fact.datagram-source", { stack: fact.stack, port: fact.port });
    case "address":
      return text("fact.address", { stack: fact.stack, address: formatAddress(fact.address) });
    case "ip-rule":
      return text("fact.ip-rule", { stack: fact.stack, where: fact.at });
    case "rule":
      return text("fact.rule", { stack: fact.stack, where: fact.at });
    case "ipset":
      return text("fact.set", { stack: fact.stack, set: fact.set, entry: fact.entry });
    case "hairpin":
      return text("fact.hairpin", { stack: fact.stack, port: fact.port });
    case "registered-first":
      return text("fact.registered-first", { stack: fact.stack });
    case "native-order":
      return text("fact.native-order", { stack: fact.stack });
    case "native-registered":
      return text("fact.native-registered", { stack: fact.stack });
    case "beside-conntrack":
      return text("fact.beside-conntrack", { stack: fact.stack });
    case "multipath": {
      const { stack, source, destination } = fact;
      return text("fact.multipath", { stack, source: formatAddress(source), destination: formatAddress(destination) });
    }
    case "neighbour":
      return text("fact.neighbour", { stack: fact.stack, device: fact.device, address: formatAddress(fact.address) });
    case "masquerade":
      return text("fact.masquerade", { stack: fact.stack });
    default:
      return text("fact.other", { id });
  }
}

/** The command that reads it, as one would type it; null where none does. */
export function factCommand(id: string): string | null {
  const fact = parseFactId(id);
  if (fact.kind === "hairpin") return "bridge -d link show (hairpin), or cat /sys/class/net/*/brport/hairpin_mode";
  const words = commandOf(fact);
  // What no shell can be given is not printed for one.
  return words === undefined || words.some((w) => UNPRINTABLE.test(w)) ? null : shellLine(words);
}

const UNPRINTABLE = /[^\x20-\x7e\u00a1-\u167f\u3000-\ufdff]/;

function commandOf(fact: Fact): readonly string[] | undefined {
  switch (fact.kind) {
    case "sysctl":
      // The kernel takes the larger of the two: one alone does not settle it.
      return RP_FILTER.test(fact.key) ? ["sysctl", "net.ipv4.conf.all.rp_filter", fact.key] : ["sysctl", fact.key];
    case "listen":
      return ["ss", fact.port.startsWith("tcp/") ? "-lntp" : "-lnup"];
    case "datagram-source":
      return ["tcpdump", "-ni", "any", "udp", "port", fact.port.replace(/^udp\//, "")];
    case "home":
      return ["ip", "neigh", "show", "to", formatAddress(fact.address)];
    case "neighbour":
      return ["ip", "neigh", "show", "to", formatAddress(fact.address), "dev", fact.device];
    case "address":
      return ["ip", "addr", "show", "to", formatAddress(fact.address)];
    case "ipset":
      return ["ipset", "list", fact.set];
    case "multipath": {
      const { iif, source, destination, ports } = fact;
      const [proto, sport, dport] = ports?.split(" ") ?? [];
      return [
        ...["ip", "route", "get", formatAddress(destination)],
        ...(isUnspecified(source) ? [] : ["from", formatAddress(source)]),
        ...(iif === "lo" ? [] : ["iif", iif]),
        ...(proto === undefined ? [] : ["ipproto", proto, "sport", sport ?? "", "dport", dport ?? ""]),
      ];
    }
    case "masquerade":
      return ["iptables-save", "-t", "nat"];
    // It shows who stands first at one priority; of nat chains it does not.
    case "native-registered":
    case "native-order":
    case "beside-conntrack":
      return ["nft", "list", "hooks"];
    case "kube-proxy-mode":
      return ["kubectl", "-n", "kube-system", "get", "configmap", "kube-proxy", "-o", "yaml"];
    default:
      return undefined;
  }
}
