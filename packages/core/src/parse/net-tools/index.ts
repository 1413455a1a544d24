import type { Dialect } from "../dialect.ts";
import { readArp } from "./arp.ts";
import { claimArpA, claimArpN, claimIfconfig, claimProcArp, claimProcRoute, claimRouteN } from "./claim.ts";
import { readIfconfig } from "./ifconfig.ts";
import { readProcArp, readProcRoute } from "./proc.ts";
import { readRouteN } from "./route.ts";

const tool = (words: readonly string[]): string => (words[0] ?? "").slice((words[0] ?? "").lastIndexOf("/") + 1);
const flags = (words: readonly string[]): readonly string[] => words.slice(1).filter((w) => w.startsWith("-"));
const has = (words: readonly string[], letter: string): boolean =>
  flags(words).some((w) => (w.startsWith("--") ? false : w.includes(letter)));
const changes = (words: readonly string[]): boolean => words.some((w) => w === "add" || w === "del" || w === "flush");

const printsRoutes = (words: readonly string[]): boolean =>
  (tool(words) === "route" && !changes(words)) || (tool(words) === "netstat" && has(words, "r"));

/** Words that make ifconfig change something instead of showing it. */
const printsDevices = (words: readonly string[]): boolean =>
  tool(words) === "ifconfig" && words.slice(1).filter((w) => !w.startsWith("-")).length <= 1;

const printsArp = (words: readonly string[]): boolean => tool(words) === "arp" && !has(words, "s") && !has(words, "d");
const bsdStyle = (words: readonly string[]): boolean => has(words, "a") && !has(words, "e");
const prints = (words: readonly string[], file: string): boolean =>
  /^(cat|more|less|head|tail|grep)$/.test(tool(words)) && words.includes(file);

/** Forms of net-tools and of the files under /proc/net that it reads. */
export const dialects: readonly Dialect[] = [
  { id: "route-n", title: "route -n, netstat -rn", printedBy: printsRoutes, claim: claimRouteN, read: readRouteN },
  { id: "ifconfig", title: "ifconfig", printedBy: printsDevices, claim: claimIfconfig, read: readIfconfig },
  {
    id: "arp-n",
    title: "arp -n",
    printedBy: (words) => printsArp(words) && !bsdStyle(words),
    claim: claimArpN,
    read: readArp("arp-n"),
  },
  {
    id: "arp-a",
    title: "arp -a",
    printedBy: (words) => printsArp(words) && bsdStyle(words),
    claim: claimArpA,
    read: readArp("arp-a"),
  },
  {
    id: "proc-net-route",
    title: "/proc/net/route",
    printedBy: (words) => prints(words, "/proc/net/route"),
    claim: claimProcRoute,
    read: readProcRoute,
  },
  {
    id: "proc-net-arp",
    title: "/proc/net/arp",
    printedBy: (words) => prints(words, "/proc/net/arp"),
    claim: claimProcArp,
    read: readProcArp,
  },
];
