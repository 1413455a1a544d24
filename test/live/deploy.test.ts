import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { rightsNeeded } from "../../packages/collect/src/index.ts";
import { CAUSE_CODES } from "../../packages/core/src/explain/index.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const fileOf = (path: string): string => readFileSync(join(root, path), "utf8");

interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly PolicyRule[];
  readonly spec?: { readonly template: { readonly spec: PodSpec } };
}
interface PodSpec {
  readonly hostNetwork?: boolean;
  readonly containers: readonly {
    readonly securityContext: unknown;
    readonly volumeMounts: readonly {
      readonly name: string;
      readonly mountPath: string;
      readonly readOnly?: boolean;
    }[];
  }[];
}

const manifests = (path: string): readonly Manifest[] =>
  parseAllDocuments(fileOf(path)).map((d) => d.toJS() as Manifest);

/** `VERB RESOURCE[.GROUP] in NAMESPACE`, as `kubectl auth can-i` has them. */
const granted = (roles: readonly Manifest[]): readonly string[] =>
  roles.flatMap(({ metadata: { namespace = "" }, rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, resourceNames = [""], verbs }) =>
      verbs.flatMap((verb) =>
        resources.flatMap((resource) =>
          apiGroups.flatMap((group) =>
            resourceNames.map(
              (name) =>
                `${verb} ${resource}${group === "" ? "" : `.${group}`}${name === "" ? "" : `/${name}`} in ${namespace}`,
            ),
          ),
        ),
      ),
    ),
  );
const rolesOf = (path: string): readonly Manifest[] => manifests(path).filter((m) => /Role$/.test(m.kind));

/** Older and newer clients and servers ask for the one or the other. */
const BOTH = /^get pods\/(?:exec|portforward) /;

test("live-rbac.yaml grants what --can-i asks for, and nothing else", () => {
  const asked = rightsNeeded("hairpin").map((r) => `${r.verb} ${r.resource} in ${r.namespace ?? ""}`);
  const given = granted(rolesOf("deploy/kubernetes/live-rbac.yaml"));
  expect(given.filter((g) => !BOTH.test(g)).sort()).toEqual([...asked].sort());
  expect(given.filter((g) => BOTH.test(g))).toEqual(["get pods/exec in hairpin"]);
});

test("who asks agents needs no more than --can-i says of them, and can change nothing", () => {
  const asked = rightsNeeded("shop", ["hairpin"]).flatMap((r) =>
    r.of === "agents" ? [`${r.verb} ${r.resource} in ${r.namespace}`] : [],
  );
  const role = rolesOf("deploy/agent.yaml").filter((r) => r.metadata.name === "hairpin-agent-ask");
  expect(granted(role).filter((g) => !BOTH.test(g))).toEqual(asked);
  // The agents themselves read objects.
  const own = granted(rolesOf("deploy/agent.yaml").filter((r) => r.metadata.name === "hairpin-agent"));
  expect(own.length).toBeGreaterThan(0);
  expect(own.filter((g) => !/^list |^get configmaps\/kube-proxy in kube-system$/.test(g))).toEqual([]);
});

test("an agent is not privileged, cannot write to its node, and listens in no network but its own", () => {
  const [{ spec }] = manifests("deploy/agent.yaml").filter((m) => m.kind === "DaemonSet") as [Manifest];
  const { hostNetwork, containers } = spec!.template.spec;
  expect(hostNetwork).toBeUndefined();
  expect(containers).toHaveLength(1);
  expect(containers[0]!.securityContext).toEqual({
    runAsUser: 0,
    runAsGroup: 0,
    readOnlyRootFilesystem: true,
    seccompProfile: { type: "RuntimeDefault" },
    capabilities: { drop: ["ALL"], add: ["NET_ADMIN", "SYS_ADMIN", "SYS_CHROOT", "SYS_PTRACE"] },
  });
  const writable = containers[0]!.volumeMounts.filter((m) => m.readOnly !== true);
  expect(writable.map((m) => m.name)).toEqual(["scratch", "scratch"]);
});

/** What an agent tells, by the names that stand in its code. */
const told = [
  ...readdirSync(join(root, "packages/cli/src/agent"))
    .filter((name) => !name.endsWith(".test.ts"))
    .map((name) => `agent/${name}`),
  "commands/agent.ts",
].flatMap((path) => [...fileOf(`packages/cli/src/${path}`).matchAll(/"(hairpin_[a-z_]+)"/g)].map((m) => m[1]!));

const metricsIn = (expr: string): readonly string[] => expr.match(/\bhairpin_[a-z_]+\b/g) ?? [];

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}
const alerts = (parse(fileOf("deploy/agent-alerts.yaml")) as { groups: { rules: Alert[] }[] }).groups.flatMap(
  (g) => g.rules,
);

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>;
  readonly targets: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}
const dashboard = JSON.parse(fileOf("deploy/agent-dashboard.json")) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
};

test("alerts and panels are about numbers that agents tell, and every such number but one's own age has a place", () => {
  const counted = told.filter((name) => !name.startsWith("hairpin_look_"));
  expect(counted.length).toBeGreaterThan(5);
  const shown = dashboard.panels.flatMap((p) => p.targets.flatMap((t) => metricsIn(t.expr)));
  const warned = alerts.flatMap((a) => metricsIn(a.expr));
  expect([...shown, ...warned].filter((name) => !told.includes(name))).toEqual([]);
  expect(counted.filter((name) => !shown.includes(name))).toEqual([]);
  for (const word of ["drift", "sweep_failing", "rp_filter", "martian", "invalid"])
    expect(
      warned.some((name) => name.includes(word)),
      word,
    ).toBe(true);
});

test("an alert says where, and of what is blamed by which code; none is sooner than an agent looks", () => {
  for (const { alert, expr, annotations, labels, ...rest } of alerts) {
    expect(annotations.summary, alert).toContain("{{ $labels.node }}");
    if (!expr.includes("hairpin_look_")) expect(annotations.summary, alert).toContain("{{ $labels.cause }}");
    expect(["info", "warning", "critical"], alert).toContain(labels.severity);
    expect(Number(/^(\d+)m$/.exec(rest.for)?.[1]), alert).toBeGreaterThanOrEqual(20);
  }
});

test("the codes on the numbers are codes that `hairpin explain` knows", () => {
  const codes = [...fileOf("packages/cli/src/agent/counters.ts").matchAll(/^ {6}"([A-Z_]+)",$/gm)].map((m) => m[1]!);
  expect(codes.length).toBe(3);
  expect(codes.filter((code) => !(CAUSE_CODES as readonly string[]).includes(code))).toEqual([]);
});

test("the dashboard's panels have places of their own, and its variables are there", () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(dashboard.panels.map((p) => p.id)).size).toBe(dashboard.panels.length);
  const variables = dashboard.templating.list.map((v) => v.name);
  const used = [...fileOf("deploy/agent-dashboard.json").matchAll(/\$\{?([a-z]+)\}?/g)].map((m) => m[1]!);
  expect([...new Set(used)].filter((name) => !variables.includes(name))).toEqual([]);
});

/** Of Debian's package prometheus. Without it PromQL is held to what can be seen of it. */
const promtool = process.env.PROMTOOL ?? "promtool";
const isThere = spawnSync(promtool, ["--version"]).status === 0;

test("expressions are whole", () => {
  const all = [...alerts.map((a) => a.expr), ...dashboard.panels.flatMap((p) => p.targets.map((t) => t.expr))];
  for (const expr of all) {
    let open = "";
    for (const c of expr.replace(/"[^"]*"/g, "")) {
      if ("([{".includes(c)) open += c;
      else if (")]}".includes(c)) {
        expect("([{".indexOf(open.slice(-1)), expr).toBe(")]}".indexOf(c));
        open = open.slice(0, -1);
      }
    }
    expect(open, expr).toBe("");
  }
});

function checked(rules: string) {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-alerts-"));
  try {
    writeFileSync(join(folder, "rules.yaml"), rules);
    return spawnSync(promtool, ["check", "rules", join(folder, "rules.yaml")], { encoding: "utf8" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.skipIf(!isThere)("promtool takes the rules, and the panels' expressions as rules", () => {
  const rules = (expr: readonly string[]) =>
    JSON.stringify({ groups: [{ name: "g", rules: expr.map((e, i) => ({ record: `r:${i}`, expr: e })) }] });
  const panels = dashboard.panels.flatMap((p) => p.targets.map((t) => t.expr.replaceAll("$node", ".*")));
  for (const input of [fileOf("deploy/agent-alerts.yaml"), rules(panels)]) {
    const { status, stdout, stderr } = checked(input);
    expect(status, `${stdout}${stderr}`).toBe(0);
  }
  expect(checked(rules(["sum(1"])).status).not.toBe(0);
});

/** Every ten minutes; `+N x M`: that much more each time. */
const series = (name: string, labels: string, values: string) => ({
  series: `${name}{node="worker-1"${labels}}`,
  values,
});
const [DRIFT, FAILING, STRICT] = [
  ',cause="KUBE_PROXY_DRIFT"',
  ',cause="STALE_ENDPOINT"',
  ',cause="RP_FILTER_STRICT"',
] as const;
const firing = (alert: string, labels: Readonly<Record<string, string>>) => ({
  alertname: alert,
  exp_alerts: [{ exp_labels: { node: "worker-1", severity: "warning", ...labels } }],
});

test.skipIf(!isThere)("alerts fire when they should, and are silent on a node on which nothing is wrong", () => {
  const bare = alerts.map(({ annotations: _, ...rule }) => rule);
  const folder = mkdtempSync(join(tmpdir(), "hairpin-alerts-"));
  try {
    writeFileSync(join(folder, "rules.json"), JSON.stringify({ groups: [{ name: "hairpin", rules: bare }] }));
    const wrong = [
      series("hairpin_drift", DRIFT, "0 0 3 3 3 3 3 3 3 3 3 3 3 3"),
      // Two were meant to fail; at an hour and a half there are five.
      series("hairpin_sweep_failing_flows", FAILING, "2x8 5 5 5 5 5"),
      series("hairpin_rp_filter_drops_total", STRICT, "0+7x13"),
      series("hairpin_look_timestamp_seconds", "", "0x13"),
      series("hairpin_look_objects", "", "1x13"),
      series("hairpin_sweep_flows", ',verdict="not asked"', "0x13"),
    ];
    const right = [
      series("hairpin_drift", DRIFT, "0x13"),
      series("hairpin_sweep_failing_flows", FAILING, "2x13"),
      series("hairpin_rp_filter_drops_total", STRICT, "40x13"),
      series("hairpin_martian_packets_total", ',cause="MARTIAN_LOCAL_SOURCE"', "9+1x13"),
      series("hairpin_conntrack_invalid_total", ',cause="CONNTRACK_INVALID_RST"', "9+1x13"),
      series("hairpin_look_timestamp_seconds", "", "0+600x13"),
      series("hairpin_look_objects", "", "1x13"),
    ];
    const looked = [
      series("hairpin_look_objects", "", "1x13"),
      series("hairpin_look_timestamp_seconds", "", "0+600x13"),
    ];
    const fresh = [
      series("hairpin_sweep_failing_flows", FAILING, "_x8 2 2 2 2 2"),
      series("hairpin_look_timestamp_seconds", "", "_x8 5400+600x4"),
    ];
    const cut = [
      ...looked,
      series("hairpin_sweep_failing_flows", FAILING, "2x8 5 5 5 5 5"),
      series("hairpin_sweep_flows", ',verdict="not asked"', "0x8 7 7 7 7 7"),
    ];
    const at = (of: readonly object[]) => of.map((test) => ({ eval_time: "2h", exp_alerts: [], ...test }));
    const names = alerts.map((a) => ({ alertname: a.alert }));
    const tests = {
      rule_files: ["rules.json"],
      evaluation_interval: "10m",
      tests: [
        {
          interval: "10m",
          input_series: wrong,
          alert_rule_test: at([
            firing("HairpinKubeProxyDrift", { cause: "KUBE_PROXY_DRIFT" }),
            firing("HairpinFlowsBegunToFail", { cause: "STALE_ENDPOINT" }),
            firing("HairpinReversePathDrops", { cause: "RP_FILTER_STRICT" }),
            firing("HairpinAgentSilent", {}),
          ]),
        },
        { interval: "10m", input_series: right, alert_rule_test: at(names) },
        // An agent that is there for half an hour, and one whose sweep is cut short.
        ...[fresh, cut].map((of) => ({
          interval: "10m",
          input_series: of,
          alert_rule_test: at([{ alertname: "HairpinFlowsBegunToFail" }]),
        })),
      ],
    };
    writeFileSync(join(folder, "tests.json"), JSON.stringify(tests));
    const { status, stdout, stderr } = spawnSync(promtool, ["test", "rules", join(folder, "tests.json")], {
      encoding: "utf8",
    });
    expect(status, `${stdout}${stderr}`).toBe(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
