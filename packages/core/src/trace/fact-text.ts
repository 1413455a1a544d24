import { type Text, text } from "../messages/index.ts";

const STACK_FACT = /^(.+?)\/(sysctl|listen|address|ip-rule|rule|netfilter|nat|ipset|hairpin)\/(.+)$/;
const RP_FILTER = /^net\.ipv4\.conf\.(.+)\.rp_filter$/;
const BALANCER_FACT = /^load-balancer\/([^/]+)\/(preserveClient|target|node)$/;

/** An open fact, said for people. Its id stays what `--assume` takes. */
export function factText(id: string): Text {
  if (id === "fabric/srcDstCheck") return text("fact.src-dst-check");
  const [, address, asked] = BALANCER_FACT.exec(id) ?? [];
  if (address !== undefined)
    return asked !== "preserveClient"
      ? text("fact.balancer-target", { address })
      : text("fact.preserve-client", { address });
  if (id.endsWith("kube-proxy/mode")) return text("fact.mode");
  if (id.startsWith("endpoint/")) return text("fact.endpoint", { address: id.slice("endpoint/".length) });
  const [, stack, kind, what] = STACK_FACT.exec(id) ?? [];
  if (stack === undefined || what === undefined) return text("fact.other", { id });
  switch (kind) {
    case "sysctl": {
      const device = RP_FILTER.exec(what)?.[1];
      return device === undefined
        ? text("fact.sysctl", { stack, key: what })
        : text("fact.rp-filter", { stack, device });
    }
    case "listen":
      return text("fact.listen", { stack, port: what });
    case "address":
      return text("fact.address", { stack, address: what });
    case "ip-rule":
      return text("fact.ip-rule", { stack, where: what });
    case "rule":
      return text("fact.rule", { stack, where: what });
    case "ipset": {
      const [set = "", entry = ""] = [what.slice(0, what.indexOf("/")), what.slice(what.indexOf("/") + 1)];
      return text("fact.set", { stack, set, entry });
    }
    case "hairpin":
      return text("fact.hairpin", { stack, port: what });
    case "netfilter":
      return text("fact.registered-first", { stack });
    default:
      return text("fact.masquerade", { stack });
  }
}
