import type { Claim } from "../dialect.ts";

const ROOTS = "(?:net|kernel|vm|fs|user|dev|abi|debug|crypto|sunrpc)";
const ENTRY = new RegExp(`^\\s{0,8}-?${ROOTS}[./][^\\s=]{1,200}\\s*=`);
const COMPLAINT = /^sysctl: (?:cannot stat|permission denied|reading key|setting key|unable to open|error)/;

export function claimEntries(line: string): Claim {
  if (ENTRY.test(line.slice(0, 260)) || COMPLAINT.test(line)) return "line";
  return /^\s*(?:[#;*]|$)/.test(line) ? "maybe" : "no";
}

export const claimPaths = (line: string): Claim =>
  /^\/proc\/sys\/[^\s:]{1,200}:/.test(line.slice(0, 260)) ? "line" : "no";

export const claimValue = (line: string): Claim => (/^[-\d][-\d\s]*$/.test(line.slice(0, 100)) ? "maybe" : "no");

const SET = /^(?:sudo\s+)?(?:\/\S{0,40}\/)?sysctl\s+(?:-\S+\s+)*["']?[a-z]+[./][^\s=]+\s*=/;
const ECHO = /^(?:sudo\s+)?(?:echo|printf)\s[^|>]{0,200}(?:>>?|\|\s*(?:sudo\s+)?tee)\s*["']?\/proc\/sys\//;
export function claimCommand(line: string): Claim {
  const text = line.slice(0, 400);
  return SET.test(text) || ECHO.test(text) ? "line" : "no";
}
