import type { NftTable } from "@hairpin/core/model/index.ts";
import { readRuleset } from "@hairpin/core/parse/nft/index.ts";
import { sourceOf } from "@hairpin/core/parse/source.ts";
import type { Random } from "../../random.ts";
import type { Service } from "../services.ts";
import type { Host, Site } from "../site.ts";
import { device } from "./device.ts";
import { Draft } from "./draft.ts";
import { dynamic } from "./dynamic.ts";
import { edges } from "./edges.ts";
import { hostFirewall } from "./host-firewall.ts";
import { kubeProxy } from "./kube-proxy.ts";
import { mangler } from "./mangler.ts";
import { maze } from "./maze.ts";
import { natter } from "./natter.ts";
import { raw } from "./raw.ts";
import { twins } from "./twins.ts";
import { wild } from "./wild.ts";
import { Words } from "./words.ts";

/** Native nftables tables of a node, by one to four who write such rules: as text, which is then read as any listing is. */
export function drawNft(
  random: Random,
  site: Site,
  node: Host,
  services: readonly Service[],
  balances: boolean,
  both = false,
): readonly NftTable[] {
  const words = new Words(random, site, node, services);
  const draft = new Draft();
  if (balances && random.chance(0.6)) kubeProxy(draft, words);
  const others = random.shuffled([
    hostFirewall,
    natter,
    mangler,
    raw,
    dynamic,
    maze,
    twins,
    wild,
    wild,
    device,
    edges,
    edges,
  ]);
  for (const author of others.slice(0, random.between(draft.isEmpty ? 1 : 0, 3))) author(draft, words);
  const { tables, diagnostics } = readRuleset(sourceOf("ruleset.nft", draft.text(random, both)));
  if (diagnostics.length > 0)
    throw new Error(`the generator wrote what is not read: ${JSON.stringify(diagnostics[0])}`);
  return tables;
}
