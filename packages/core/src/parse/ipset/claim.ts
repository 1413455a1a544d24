import type { Claim } from "../dialect.ts";
import { setType } from "./types.ts";

/** Something an element may begin with: an address, network, range or MAC, on its own or followed by `,tcp:80` and the like. */
const ADDRESS =
  /^(?:\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|[0-9a-fA-F]{0,4}:[0-9a-fA-F:]*:[0-9a-fA-F:.]*)(?:[/-][0-9a-fA-F.:]+)?$/;
const MAC = /^[0-9A-F]{2}(?::[0-9A-F]{2}){5}$/i;
const OPTIONS = /^(?:timeout|packets|bytes|comment|skbmark|skbprio|skbqueue|nomatch|wildcard|before|after)$/;

/** How sure one can be that this word is a set's element: `no` is not; `maybe` could be one (a bare address, a number, a name). */
function claimElement(word: string): Claim {
  if (word.length > 300) return "no";
  const comma = word.indexOf(",");
  if (comma < 0) return ADDRESS.test(word) || MAC.test(word) || /^\d{1,5}(?:-\d{1,5})?$/.test(word) ? "maybe" : "no";
  return ADDRESS.test(word.slice(0, comma)) && !word.endsWith(",") ? "line" : "no";
}

const HEADER =
  /^(?:Name: \S+|Type: (?:hash|bitmap|list):[a-z,]+|Revision: \d+|Header: \S.*|Size in memory: \d+|References: \d+|Number of entries: \d+|Members:)\s*$/;

export function claimList(line: string): Claim {
  if (line.length < 400 && HEADER.test(line)) return "line";
  if (line.trim() === "") return "maybe";
  const [element = "", option] = line.split(" ", 2);
  const claim = claimElement(element);
  if (claim === "maybe" && option !== undefined) return OPTIONS.test(option) ? "line" : "no";
  // A member of a list:set is the name of a set: any word.
  if (claim === "no" && element.length < 32) return option === undefined || OPTIONS.test(option) ? "maybe" : "no";
  return claim;
}

export function claimSave(line: string): Claim {
  const [verb, name, third = ""] = line.trim().split(/\s+/, 3);
  if (name === undefined || third === "") return "no";
  if (verb === "create" || verb === "-N") return setType(third) !== undefined ? "line" : "no";
  if (verb === "add") return claimElement(third) === "no" ? "maybe" : "line";
  return "no";
}

const COMMAND =
  /^(?:sudo\s+)?(?:\/\S{0,40}\/)?ipset\s+(?:-!\s+|-exist\s+|-q\s+|-quiet\s+|--?\w+\s+)*(?:create|add|del|destroy|flush|rename|swap|[nex]|-[NADXFEW]|--(?:create|add|del|destroy|flush|rename|swap))\b/;

export const claimCommand = (line: string): Claim => (COMMAND.test(line.slice(0, 200)) ? "line" : "no");

export const claimXml = (line: string): Claim =>
  line.startsWith("<ipsets") || line.startsWith('<ipset name="')
    ? "head"
    : /^<\/?(?:ipset|ipsets|type|revision|header|members|member|elem)\b/.test(line)
      ? "line"
      : "no";
