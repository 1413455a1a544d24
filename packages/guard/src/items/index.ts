import { parseChange } from "@hairpin/core/assemble/patch/parse.ts";
import { refusalText, type Text, text } from "@hairpin/core/messages/index.ts";
import { assumed } from "@hairpin/core/model/index.ts";
import { type Backend, backendInUse } from "../iptables-tool.ts";
import { type Item, Trouble } from "../item.ts";
import { ipRouteItem } from "./ip-route.ts";
import { ipRuleItem } from "./ip-rule.ts";
import { ipsetItem } from "./ipset.ts";
import { nftItem } from "./nft.ts";
import { chainPolicy } from "./policy.ts";
import { keptRule, removedRule } from "./rule.ts";
import { sysctlItem } from "./sysctl.ts";

export type Items = { readonly items: readonly Item[]; readonly refused: readonly Text[] };

/** The commands of a fix as things to keep. What cannot be kept is refused, one sentence each. */
export function itemsOf(commands: readonly string[], backend: () => Backend = backendInUse): Items {
  const items: Item[] = [];
  const refused: Text[] = [];
  const refuse = (command: string, why: string | Text) => refused.push(text("guard.refused", { command, why }));
  for (const command of commands) {
    const parsed = parseChange(command, assumed("guard"));
    if (!parsed.ok) {
      refuse(command, refusalText(parsed.refusal));
      continue;
    }
    for (const change of parsed.changes) {
      try {
        const item = itemOf(command, change, backend);
        if ("id" in item) refuse(command, item);
        else items.push(item);
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        refuse(command, error.text);
      }
    }
  }
  return { items, refused };
}

type Change = Extract<ReturnType<typeof parseChange>, { ok: true }>["changes"][number];

function itemOf(command: string, change: Change, backend: () => Backend): Item | Text {
  switch (change.kind) {
    case "iptables": {
      const { operation } = change.command;
      // A back end that the command names itself was meant.
      const named = /^ip6?tables-(legacy|nft)\b/.exec(command)?.[1] as Backend | undefined;
      const used = named ?? backend();
      if (operation.kind === "append" || operation.kind === "insert")
        return keptRule(command, change.command, operation, used);
      if (operation.kind === "delete") return removedRule(command, change.command, operation, used);
      if (operation.kind === "policy")
        return chainPolicy(command, change.command, operation.chain, operation.policy, used);
      return text("guard.only-rules");
    }
    case "sysctl":
      return sysctlItem(command, change.command.key, change.command.value);
    case "nft":
      return nftItem(command, change.command);
    case "ipset":
      return ipsetItem(command, change.command);
    case "ip":
      if (change.command.kind === "rule") return ipRuleItem(command, change.command);
      if (change.command.kind === "route") return ipRouteItem(command, change.command);
      return text("guard.only-ip");
    default:
      return text("guard.not-keepable");
  }
}
