import type { Claim } from "../dialect.ts";
import { isTool, when } from "../not-read-yet/not-read-yet.ts";

const HEAD =
  /^(?:Features for \S+:|Settings for \S+:|Offload parameters for \S+:|Coalesce parameters for \S+:|Ring parameters for \S+:|Channel parameters for \S+:|Pause parameters for \S+:|NIC statistics:|Actual changes:)\s*$/;
const FEATURE =
  /^\s*(?:[a-z0-9]+(?:-[a-z0-9]+){1,8}|rx|tx|sg|tso|gso|gro|lro|ufo|rxvlan|txvlan|ntuple|rxhash): (?:on|off)(?: \[[a-z ]{3,40}\])?\s*$/;
const DRIVER =
  /^(?:driver: \S+|firmware-version: .*|expansion-rom-version:.*|bus-info: \S*|supports-(?:statistics|test|eeprom-access|register-dump|priv-flags): (?:yes|no))\s*$/;
const SETTING =
  /^\s+(?:Supported |Advertised |Link partner |Speed: |Duplex: |Port: |PHYAD: |Transceiver: |Auto-negotiation: |MDI-X: |Supports Wake-on: |Wake-on: |Current message level: |Link detected: )/;

export function claimEthtool(full: string): Claim {
  const line = full.slice(0, 2000);
  if (HEAD.test(line)) return "head";
  if (FEATURE.test(line) || DRIVER.test(line) || /^\/sys\/module\/\w+\s*$/.test(line) || SETTING.test(line))
    return "line";
  return when(/^\s{5,}[\w.[\]-]{2,60}: \d+\s*$/.test(line), "maybe");
}

export const printsEthtool = (words: readonly string[]): boolean =>
  isTool("ethtool")(words) ||
  (isTool("readlink", "ls")(words) && words.some((w) => /^\/sys\/class\/net\/.*driver/.test(w)));
