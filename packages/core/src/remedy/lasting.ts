import type { Change, PatchStep } from "../assemble/index.ts";
import { text } from "../messages/index.ts";
import { TABLE_MAIN } from "../model/index.ts";
import { shellLine } from "../model/shell.ts";
import { formatAddress, formatPrefix } from "../net/index.ts";
import { printRoute } from "../parse/iproute2/route/route-print.ts";
import { printRule } from "../parse/iproute2/rule/rule-print.ts";
import { takenBackBy } from "./costs.ts";
import type { Lasting } from "./fix.ts";
import { kubectlPatch } from "./service-command.ts";

/** The forms in which the commands of a fix outlive a reboot. What others take back needs their own setting instead. */
export function lastingOf(steps: readonly PatchStep[]): readonly Lasting[] {
  const fields = steps.flatMap((s) => s.changes).flatMap((c) => (c.kind === "service" ? [c.field] : []));
  const patches = fields.map((f) => shellLine(kubectlPatch(f.namespace, f.name, f.field, f.value)));
  const byHand = steps.filter((s) => s.changes.every((c) => c.kind !== "service"));
  const stacks = [...new Set(byHand.map((s) => s.before.name))];
  const lasts: readonly Lasting[] =
    patches.length === 0 ? [] : [{ how: text("lasting.kubectl"), lines: [...new Set(patches)] }];
  const typed = stacks.flatMap((stack): readonly Lasting[] => {
    const own = byHand.filter((s) => s.before.name === stack);
    const changes = own.flatMap((s) => s.changes);
    // A pod is made anew from its image: nothing that is written into it lasts.
    const inPod = own.some((s) => s.before.kind === "pod");
    const scripted = inPod ? [] : own.filter((s) => s.changes.every((c) => needsScript(c)));
    return [...modules(stack, changes), ...sysctls(stack, changes), ...routing(stack, own), ...script(stack, scripted)];
  });
  return [...lasts, ...typed];
}

function modules(stack: string, changes: readonly Change[]): readonly Lasting[] {
  const names = changes.flatMap((c) => (c.kind === "module" && c.remove !== true ? [c.name] : []));
  if (names.length === 0) return [];
  return [{ how: text("lasting.module", { file: "/etc/modules-load.d/99-hairpin.conf", stack }), lines: names }];
}

function sysctls(stack: string, changes: readonly Change[]): readonly Lasting[] {
  const lines = changes.flatMap((c) =>
    c.kind === "sysctl" ? [`${c.command.key} = ${c.command.value}`.replace(/[\r\n]+/g, " ")] : [],
  );
  if (lines.length === 0) return [];
  return [{ how: text("lasting.sysctl", { file: "/etc/sysctl.d/99-hairpin.conf", stack }), lines }];
}

const needsScript = (c: Change): boolean => {
  if (takenBackBy(c) !== undefined) return false;
  if (c.kind === "hairpin" || c.kind === "offload") return true;
  return (
    c.kind === "iptables" || c.kind === "nft" || c.kind === "ipset" || (c.kind === "ip" && c.command.kind !== "address")
  );
};

/** `-C … || -A …`: what is there already is not put there twice. */
function guarded(step: PatchStep): string {
  const [change] = step.changes;
  if (change?.kind === "nft") return guardedNft(step.command);
  if (change?.kind !== "iptables") return `${step.command} || true`;
  const { kind } = change.command.operation;
  if (kind !== "append" && kind !== "insert") return step.command;
  const check = step.command.replace(/ (?:-A|--append|-I|--insert) (\S+)(?: \d+)?/, " -C $1");
  return `${check} 2>/dev/null || ${step.command}`;
}

/** A rule of ours is known by its comment. */
function guardedNft(command: string): string {
  const [, family, table, chain, comment] =
    /^nft (?:add|insert) rule (\S+) (\S+) (\S+) .* comment '"([\w -]+)"'$/.exec(command) ?? [];
  if (family === undefined) return `${command} || true`;
  return `nft list chain ${family} ${table} ${chain} | grep -qF 'comment "${comment}"' || ${command}`;
}

function script(stack: string, steps: readonly PatchStep[]): readonly Lasting[] {
  if (steps.length === 0) return [];
  const lines = steps.map(guarded);
  return [
    {
      how: text("lasting.systemd", { stack }),
      lines: [
        "cat > /usr/local/sbin/hairpin-fix <<'HAIRPIN'",
        "#!/bin/sh",
        ...lines,
        "HAIRPIN",
        "cat > /etc/systemd/system/hairpin-fix.service <<'HAIRPIN'",
        "[Unit]",
        "Description=A fix that hairpin proposed",
        "Wants=network-online.target",
        "After=network-online.target",
        "[Service]",
        "Type=oneshot",
        "RemainAfterExit=yes",
        "ExecStart=/bin/sh /usr/local/sbin/hairpin-fix",
        "[Install]",
        "WantedBy=multi-user.target",
        "HAIRPIN",
        "systemctl enable --now hairpin-fix.service",
      ],
    },
    { how: text("lasting.daemonset"), lines: daemonSet(lines) },
  ];
}

const daemonSet = (lines: readonly string[]): readonly string[] => [
  "apiVersion: apps/v1",
  "kind: DaemonSet",
  "metadata: { name: hairpin-fix, namespace: kube-system }",
  "spec:",
  "  selector: { matchLabels: { app: hairpin-fix } }",
  "  template:",
  "    metadata: { labels: { app: hairpin-fix } }",
  "    spec:",
  "      hostNetwork: true",
  "      containers:",
  "        - name: fix",
  "          image: IMAGE-WITH-THESE-TOOLS",
  "          securityContext: { capabilities: { add: [NET_ADMIN, NET_RAW] } }",
  `          command: ["/bin/sh", "-c", ${JSON.stringify(`while :; do ${lines.map((l) => `${l};`).join(" ")} sleep 60; done`)}]`,
];

/** Routes and rules of a card that somebody manages: NetworkManager, netplan, ifcfg files. */
function routing(stack: string, steps: readonly PatchStep[]): readonly Lasting[] {
  return steps.flatMap((step): Lasting[] => {
    const [change] = step.changes;
    if (change?.kind !== "ip") return [];
    const { command } = change;
    if (command.kind === "route" && command.route.type === "unicast") {
      const hop = command.route.nexthops[0];
      const device = step.before.devices.items.find((d) => d.name === hop?.device);
      if (hop === undefined || device === undefined || !isManaged(device.kind)) return [];
      const to = formatPrefix(command.route.destination);
      const via = hop.gateway === undefined ? "" : ` ${formatAddress(hop.gateway)}`;
      const from = command.route.prefSrc === undefined ? "" : ` src=${formatAddress(command.route.prefSrc)}`;
      const spec = `${to}${via}${from}`;
      return forms(stack, device.name, `+ipv4.routes '${spec}'`, "route-", printRoute(command.route).trim(), [
        "routes:",
        `  - { to: ${to}${hop.gateway === undefined ? ", scope: link" : `, via: ${formatAddress(hop.gateway)}`}${command.route.prefSrc === undefined ? "" : `, from: ${formatAddress(command.route.prefSrc)}`} }`,
      ]);
    }
    if (command.kind === "rule" && command.verb === "add") {
      const added = step.after.routingRules.items.find((r) => !step.before.routingRules.items.includes(r));
      const card = step.before.routeTables
        .filter((t) => t.id === TABLE_MAIN && t.family === 4)
        .flatMap((t) => t.routes)
        .find((r) => r.destination.length === 0)?.nexthops[0]?.device;
      const device = step.before.devices.items.find((d) => d.name === card);
      if (added === undefined || device === undefined || !isManaged(device.kind)) return [];
      const words = printRule(added).replace(/^\d+:\t/, "");
      const from = added.from === undefined ? "" : ` from ${formatPrefix(added.from)}`;
      const to = added.to === undefined ? "" : ` to ${formatPrefix(added.to)}`;
      const table = added.action.kind === "lookup" ? String(added.action.table) : "254";
      if (from === "" && to === "") return [];
      return forms(
        stack,
        device.name,
        `+ipv4.routing-rules 'priority ${added.preference}${from}${to} table ${table}'`,
        "rule-",
        `${words} pref ${added.preference}`,
        [
          "routing-policy:",
          `  - { priority: ${added.preference}${from.replace(" from ", ", from: ")}${to.replace(" to ", ", to: ")}, table: ${table} }`,
        ],
      );
    }
    return [];
  });
}

const isManaged = (kind: string): boolean => ["ethernet", "bond", "vlan", "team", "bridge"].includes(kind);

function forms(
  stack: string,
  device: string,
  nmcli: string,
  file: string,
  line: string,
  netplan: readonly string[],
): Lasting[] {
  if (!/^[A-Za-z0-9._-]+$/.test(device)) return [];
  const connection = `"$(nmcli -g GENERAL.CONNECTION device show ${device})"`;
  return [
    { how: text("lasting.network_manager", { stack }), lines: [`nmcli connection modify ${connection} ${nmcli}`] },
    { how: text("lasting.netplan", { stack, device }), lines: netplan },
    { how: text("lasting.ifcfg", { stack, file: `/etc/sysconfig/network-scripts/${file}${device}` }), lines: [line] },
  ];
}
