import { ask, type Files, filter, NODE, nat, ROUTES, SYSCTLS, toService } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";
import { readCase } from "../parse/index.ts";
import { Askable, diagnose, diagnosisJson } from "./index.ts";

interface Explained {
  readonly sets: readonly { readonly facts: readonly string[] }[];
  readonly command: string;
}

function explained(files: Files, sees: string): Explained | null {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  const askable = new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
  const json = diagnosisJson(diagnose(askable, { ...toService("node/a"), sees }), () => undefined);
  return (json as { explanations: Explained | null }).explanations;
}

const asked = (files: Readonly<Record<string, string>>, sees?: string) =>
  ask({ ...NODE, ...files }, { ...toService("node/a"), ...(sees === undefined ? {} : { sees }) });

const REFUSES = {
  "nodes/a/iptables-save.txt":
    nat() + filter("-A OUTPUT -p tcp -m tcp --dport 8080 -j REJECT --reject-with tcp-reset\n"),
};
const DROPS = { "nodes/a/iptables-save.txt": nat() + filter("-A OUTPUT -p tcp -m tcp --dport 8080 -j DROP\n") };
/** Whether the answer, which comes in by another card than the way back, is taken is open. */
const OPEN = {
  "nodes/a/sysctl.txt": SYSCTLS.replaceAll(/^.*rp_filter.*\n/gm, ""),
  "nodes/a/ip-route.txt": `${ROUTES}10.244.2.7 via 10.0.1.2 dev eth1\n10.0.1.0/24 dev eth1 proto kernel scope link src 10.0.1.1\n`,
};

describe("--sees", () => {
  test("a walk that delivers is not the last word where the asker says that it fails", () => {
    expect(asked({}, "timeout").verdict).toBe("undetermined");
    expect(asked({}, "timeout").contradictions).toContain("you reported a timeout");
    expect(asked({}, "intermittent").verdict).toBe("intermittent");
  });

  test("where the word is what the walk says, nothing changes", () => {
    const { claims, contradictions } = asked(DROPS, "timeout");
    expect(claims).toEqual(asked(DROPS).claims);
    expect(contradictions).toEqual([]);
  });

  test("where the client sees another failure, both are told and nothing is proven", () => {
    expect(asked(REFUSES).claims[0]).toMatch(/ proven$/);
    const { verdict, claims, contradictions } = asked(REFUSES, "timeout");
    expect(verdict).toBe("unreachable");
    expect(claims[0]).toMatch(/ inferred$/);
    expect(contradictions).toEqual(["you reported a timeout; in the trace the client sees: connection refused"]);
  });

  test("where the asker says that it works at times, a walk that always fails proves nothing", () => {
    expect(asked(DROPS, "intermittent").claims[0]).toMatch(/ inferred$/);
    expect(asked(DROPS, "slow").contradictions).toHaveLength(1);
  });

  test("where the asker says that it works, any cause is doubtful", () => {
    expect(asked(DROPS, "works").claims.every((c) => c.endsWith(" possible"))).toBe(true);
  });

  test("case.yaml says it too, and what is typed comes first", () => {
    const yaml = "question: { sees: timeout }\n";
    expect(ask(NODE, toService("node/a"), yaml).verdict).toBe("undetermined");
    expect(ask(NODE, { ...toService("node/a"), sees: "works" }, yaml).contradictions).toEqual([]);
  });

  test("an unknown word is refused", () => {
    expect(() => asked({}, "nothing")).toThrow("--sees nothing: works, timeout");
  });

  test("it rules out hypotheses in which the client would see something else", () => {
    const open = asked(OPEN);
    const told = asked(OPEN, "timeout");
    expect([open.verdict, told.verdict]).toEqual(["undetermined", "unreachable"]);
    expect(told.settled.map((f) => f.fact).join()).toContain("rp_filter");
    expect(told.claims).not.toContainEqual(expect.stringMatching(/ proven$/));
  });
});

describe("the search that --sees starts", () => {
  const delivered = (sees: string, rules = filter()) => asked({ "nodes/a/iptables-save.txt": nat() + rules }, sees);
  test("connects and hangs: the path's MTU is suspected", () => {
    expect(delivered("stalled").claims).toContain("MTU_BLACKHOLE possible");
    expect(delivered("timeout").codes).not.toContain("MTU_BLACKHOLE");
  });
  test("reset: a packet that conntrack calls INVALID is suspected, unless a rule drops those", () => {
    expect(delivered("reset").claims).toContain("CONNTRACK_INVALID_RST possible");
    const drops = filter("-A FORWARD -m conntrack --ctstate INVALID -j DROP\n");
    expect(delivered("reset", drops).codes).not.toContain("CONNTRACK_INVALID_RST");
  });
});

describe("what is not a loss", () => {
  const dropping = (match: string) =>
    ask(
      { ...NODE, "nodes/a/iptables-save.txt": nat() + filter(`-A FORWARD -p tcp -m tcp ${match} -j DROP\n`) },
      toService(),
    );
  test("one source port of thousands is a remark, and no cause", () => {
    const { verdict, claims } = dropping("--sport 40000");
    expect([verdict, claims]).toEqual([ask(NODE, toService()).verdict, []]);
  });
  test("guard: a good part of them is a loss", () => {
    const { verdict, claims } = dropping("--sport 40000:50000");
    expect([verdict, claims.length > 0]).toEqual(["intermittent", true]);
  });
});

describe("the smallest set of unshown facts that explains what is seen", () => {
  const two = nat("10.244.2.7")
    .replace(":KUBE-SERVICES", ":KUBE-SEP-BBBBBBBBBBBBBBBB - [0:0]\n:KUBE-SERVICES")
    .replace(
      '-A KUBE-SVC-AAAAAAAAAAAAAAAA -m comment --comment "default/web" -j',
      `-A KUBE-SEP-BBBBBBBBBBBBBBBB -p tcp -m comment --comment "default/web" -m tcp -j DNAT --to-destination 10.244.3.8:8080
-A KUBE-SVC-AAAAAAAAAAAAAAAA -m comment --comment "default/web" -m statistic --mode random --probability 0.5 -j KUBE-SEP-BBBBBBBBBBBBBBBB
-A KUBE-SVC-AAAAAAAAAAAAAAAA -m comment --comment "default/web" -j`,
    );
  const searched = (sees: string) => {
    const tables = `*raw\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n*mangle\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\nCOMMIT\n`;
    const routes = `${ROUTES}10.244.3.0/24 via 10.0.0.3 dev eth0\n`;
    const files = { ...NODE, "nodes/a/ip-route.txt": routes, "nodes/a/iptables-save.txt": tables + two + filter() };
    return explained(files, sees);
  };
  test("one of two endpoints that is gone explains that it fails at times", () => {
    const found = searched("intermittent");
    expect(found?.sets.map((s) => s.facts)).toContainEqual(["endpoint/10.244.3.8=gone"]);
    expect(found?.sets.every((s) => s.facts.length === 1)).toBe(true);
  });
  test("that it always times out, only both at once; the command settles one of them", () => {
    const found = searched("timeout");
    expect(found?.sets[0]?.facts).toHaveLength(2);
    expect(found?.sets[0]?.facts).toContain("endpoint/10.244.3.8=gone");
    expect(found?.command).not.toBe("");
  });
  test("guard: what none of them explains has no such set, and what works needs none", () => {
    expect(searched("reset")).toBeNull();
    expect(searched("works")).toBeNull();
  });
});
