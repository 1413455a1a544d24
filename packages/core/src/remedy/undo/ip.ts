import { applyChange } from "../../assemble/patch/apply.ts";
import { parseChange } from "../../assemble/patch/parse.ts";
import { assumed, type Device, type Route, type RoutingRule, type Stack } from "../../model/index.ts";
import { nameWord, shellLine } from "../../model/shell.ts";
import { formatPrefix } from "../../net/index.ts";
import { addressCommand, routeCommand, ruleCommand } from "../../parse/iproute2/command/to-commands.ts";
import { printRoute } from "../../parse/iproute2/route/route-print.ts";
import { printRule } from "../../parse/iproute2/rule/rule-print.ts";

const ip = (words: readonly string[]): string => shellLine(["ip", ...words]);

/** Devices first; what the kernel then restores by itself needs no command; routes and rules that are still missing follow. */
export function undoIp(before: Stack, after: Stack): readonly string[] {
  const devices = undoDevices(before.devices.items, after.devices.items);
  let now = after;
  for (const command of devices) now = apply(now, command);
  const commands = [...devices];
  for (const command of [...undoRules(before, now), ...undoRoutes(before, now), ...undoNeighbours(before, now)]) {
    commands.push(command);
    now = apply(now, command);
  }
  return commands;
}

function apply(stack: Stack, command: string): Stack {
  const parsed = parseChange(command, assumed("undo"));
  let now = stack;
  for (const change of parsed.ok ? parsed.changes : []) {
    const result = applyChange(now, change);
    if (result.ok) now = result.stack;
  }
  return now;
}

function undoDevices(before: readonly Device[], after: readonly Device[]): readonly string[] {
  const commands: string[] = [];
  const renamed = before.length === after.length ? after.findIndex((d, i) => d.name !== before[i]!.name) : -1;
  if (renamed >= 0)
    return [ip(["link", "set", "dev", nameWord(after[renamed]!.name), "name", nameWord(before[renamed]!.name)])];
  for (const device of after)
    if (!before.some((d) => d.name === device.name)) commands.push(ip(["link", "del", "dev", nameWord(device.name)]));
  for (const was of before) {
    const now = after.find((d) => d.name === was.name);
    if (now === undefined || now === was) continue;
    const dev = nameWord(was.name);
    const set = (...words: readonly string[]): void => void commands.push(ip(["link", "set", "dev", dev, ...words]));
    if (was.mtu !== undefined && was.mtu !== now.mtu) set("mtu", String(was.mtu));
    if (was.mac !== undefined && was.mac !== now.mac) set("address", was.mac);
    if (was.master !== now.master) set(...(was.master === undefined ? ["nomaster"] : ["master", nameWord(was.master)]));
    const flagged = (d: Device): boolean => d.flags?.includes("NOARP") === true;
    if (flagged(was) !== flagged(now)) set("arp", flagged(was) ? "off" : "on");
    if ((was.port?.hairpin ?? false) !== (now.port?.hairpin ?? false))
      commands.push(
        shellLine(["bridge", "link", "set", "dev", dev, "hairpin", was.port?.hairpin === true ? "on" : "off"]),
      );
    if (was.up !== now.up) set(was.up === false ? "down" : "up");
    const shown = (d: Device): ReadonlySet<string> => new Set(d.addresses.map((a) => formatPrefix(a.prefix)));
    const had = shown(was);
    const has = shown(now);
    for (const prefix of has) if (!had.has(prefix)) commands.push(ip(["addr", "del", prefix, "dev", dev]));
    for (const address of was.addresses)
      if (!has.has(formatPrefix(address.prefix))) commands.push(ip(addressCommand(dev, address)));
  }
  return commands;
}

const routeKey = (r: Route): string => `${String(r.table)} ${printRoute(r, { details: true })}`;
const routesOf = (stack: Stack): readonly Route[] => stack.routeTables.flatMap((t) => t.routes);

function undoRoutes(before: Stack, after: Stack): readonly string[] {
  const was = new Set(routesOf(before).map(routeKey));
  const is = new Set(routesOf(after).map(routeKey));
  const gone = routesOf(after).filter((r) => !was.has(routeKey(r)));
  const back = routesOf(before).filter((r) => !is.has(routeKey(r)));
  return [...gone.map((r) => ip(removal(r))), ...back.map((r) => ip(routeCommand(r, "add")))];
}

/** `ip route add …` turned round: the kernel deletes the route that has all that is named. */
const removal = (route: Route): readonly string[] =>
  routeCommand(route, "add").map((word, i, all) => (word === "add" && all[i - 1] === "route" ? "del" : word));

const ruleKey = (r: RoutingRule): string => `${r.family} ${printRule(r, { details: true })}`;

function undoRules(before: Stack, after: Stack): readonly string[] {
  const was = new Set(before.routingRules.items.map(ruleKey));
  const is = new Set(after.routingRules.items.map(ruleKey));
  const gone = after.routingRules.items.filter((r) => !was.has(ruleKey(r)));
  const back = before.routingRules.items.filter((r) => !is.has(ruleKey(r)));
  const del = (words: readonly string[]): readonly string[] =>
    words.map((word, i, all) => (word === "add" && all[i - 1] === "rule" ? "del" : word));
  return [...gone.map((r) => ip(del(ruleCommand(r)))), ...back.map((r) => ip(ruleCommand(r)))];
}

function undoNeighbours(before: Stack, after: Stack): readonly string[] {
  const same = before.neighbours.items === after.neighbours.items;
  if (same) return [];
  const added = after.neighbours.items.filter((n) => !before.neighbours.items.includes(n));
  return added.map((n) =>
    ip([
      "neigh",
      "del",
      formatPrefix({ address: n.address, length: 32 }).replace(/\/.*$/, ""),
      "dev",
      nameWord(n.device),
    ]),
  );
}
