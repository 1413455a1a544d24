import type { Claim } from "../dialect.ts";

const ROOTS = "(?:net|kernel|vm|fs|user|dev|abi|debug|crypto|sunrpc)";
const ENTRY = new RegExp(`^\\s{0,8}-?${ROOTS}[./][^\\s=]{1,200}\\s*=`);
const COMPLAINT = /^sysctl: (?:cannot stat|permission denied|reading key|setting key|unable to open|error)/;

export function claimEntries(line: string): Claim {
  if (ENTRY.test(line.slice(0, 260)) || COMPLAINT.test(line)) return "line";
  return /^\s*(?:[#;*]|$)/.test(line) ? "maybe" : "no";
}

/** A path and its value, or one of the two lines of `head` and loops. */
export const claimPaths = (line: string): Claim => {
  const text = line.slice(0, 260);
  if (/^\s*(?:\/proc\/sys\/[^\s:=]{1,200}(?:\s*[:=]|\s+-?\d[\d\s]*$)|==> \/proc\/sys\/\S{1,200} <==)/.test(text))
    return "line";
  if (/^(?:cat|grep|head|tail): \/proc\/sys\/\S{1,200}: /.test(text)) return "line";
  return /^\s*\/proc\/sys\/\S{1,200}\s*$|^[-\d][-\d\s]*$/.test(text) ? "maybe" : "no";
};

export const claimValue = (line: string): Claim => (/^[-\d][-\d\s]*$/.test(line.slice(0, 100)) ? "maybe" : "no");

const SET = /^(?:sudo\s+)?(?:\/\S{0,40}\/)?sysctl\s+(?:-\S+\s+)*["']?[a-z]+[./][^\s=]+\s*=/;
const ECHO = /^(?:sudo\s+)?(?:echo|printf)\s[^|>]{0,200}(?:>>?|\|\s*(?:sudo\s+)?tee)\s*["']?\/proc\/sys\//;
const LOOP = /^\s*for\s+\w+\s+in\s+\/proc\/sys\/\S+\s*;\s*do\s+(?:echo|printf)\s[^>|]{1,80}[>|]/;
export function claimCommand(line: string): Claim {
  const text = line.slice(0, 400);
  return SET.test(text) || ECHO.test(text) || LOOP.test(text) ? "line" : "no";
}
