import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, expect, test } from "vitest";
import { ClusterAccess } from "../cluster/access.ts";
import type { Kubectl } from "../cluster/kubectl.ts";
import { type AgentQuestion, questionOf, questionPath } from "./question.ts";
import { type Served, serveDumps, serveMetrics } from "./serve.ts";

const POD = "01234567-89ab-cdef-0123-456789abcdef=shop/db-0";
const open: Served[] = [];
afterEach(() => {
  for (const served of open.splice(0)) served.close();
});

async function agent(dump: (question: AgentQuestion) => Promise<Buffer | undefined>): Promise<Served> {
  const served = await serveDumps({ port: 0, dump });
  open.push(served);
  return served;
}

const asked = (port: number, path: string, method = "GET"): Promise<{ status: number; body: string }> =>
  new Promise((done, failed) => {
    request({ host: "127.0.0.1", port, path, method, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        body += part;
      });
      response.on("end", () => done({ status: response.statusCode ?? 0, body }));
    })
      .on("error", failed)
      .end();
  });

test("a question is what it was, and nothing else is one", () => {
  for (const question of [
    { pods: [], all: false },
    { pods: [POD, POD.replace("db-0", "db-1")], all: true },
  ])
    expect(questionOf(questionPath(question))).toEqual(question);
  const bad = [
    "/",
    "/v1/dump",
    "/v1/dump/../x?all=no",
    "/v1/dump?all=no&run=sh",
    "/v1/dump?pod=-o/etc/x",
    "/v1/dump?pod=$(id)",
  ];
  for (const path of [...bad, `/v1/dump?pod=${POD}%0a--run`]) expect(questionOf(path), path).toBeUndefined();
});

test("dumps: by GET, for questions alone, one at a time", async () => {
  const dumped: AgentQuestion[] = [];
  let [at, most] = [0, 0];
  const { port } = await agent(async (question) => {
    most = Math.max(most, ++at);
    await new Promise((r) => setTimeout(r, 20));
    at--;
    dumped.push(question);
    return question.all ? undefined : Buffer.from("dump");
  });
  const path = questionPath({ pods: [POD], all: false });
  expect(await Promise.all([asked(port, path), asked(port, path)])).toEqual(
    Array(2).fill({ status: 200, body: "dump" }),
  );
  expect(most).toBe(1);
  expect((await asked(port, path, "POST")).status).toBe(405);
  expect((await asked(port, "/metrics")).status).toBe(404);
  expect((await asked(port, questionPath({ pods: [], all: true }))).status).toBe(500);
  expect(dumped).toHaveLength(3);
});

test("nobody outside the pod reaches the dumps", async () => {
  const { port } = await agent(async () => Buffer.from("dump"));
  const others = Object.values(networkInterfaces()).flatMap((of) =>
    (of ?? []).filter((a) => !a.internal && a.family === "IPv4").map((a) => a.address),
  );
  for (const host of [...others, "127.0.0.2"]) {
    const outcome = await new Promise((done) => {
      const socket = connect({ host, port, timeout: 1000 }, () => done("connected"));
      for (const event of ["error", "timeout"]) socket.on(event, () => done("refused"));
    });
    expect(outcome, host).toBe("refused");
  }
});

test("where numbers are told there is nothing else", async () => {
  const served = await serveMetrics("127.0.0.1", 0, () => "hairpin_drift 0\n");
  open.push(served);
  expect(await asked(served.port, "/metrics")).toEqual({ status: 200, body: "hairpin_drift 0\n" });
  expect((await asked(served.port, questionPath({ pods: [], all: false }))).status).toBe(404);
});

const row = (namespace: string, name: string, { hostPid = "", privileged = "" } = {}): string =>
  `${namespace}\t${name}\t01234567-89ab-cdef-0123-456789abcdef\t\tnode-0\tRunning\t${hostPid}\t\t\tc=${privileged},\n`;

/** A cluster with these pods; `port`: where the agent's is forwarded to, absent: it is not. */
function cluster(pods: string, port: number | undefined): { readonly kubectl: Kubectl; readonly calls: string[] } {
  const calls: string[] = [];
  const ended = (out: string, status = 0, err = "") => ({ status, out: Buffer.from(out), err });
  const kubectl: Kubectl = async (args, options = {}) => {
    calls.push(args.join(" "));
    if (args[0] === "get") return ended(args[1] === "pods" ? pods : "node-0\tamd64\tlinux\n");
    if (args[0] !== "port-forward") return ended("", 1, "forbidden");
    if (port === undefined) return ended("", 1, 'pods "hairpin-agent-x" is forbidden\n');
    return new Promise((done) => {
      options.started?.(() => done(ended("", 143)));
      options.until?.(`Forwarding from 127.0.0.1:${port} -> 9437`);
    });
  };
  return { kubectl, calls };
}

async function collected(pods: string, port: number | undefined) {
  const { kubectl, calls } = cluster(pods, port);
  const said: string[] = [];
  const access = new ClusterAccess({
    kubectl,
    namespaces: ["shop"],
    lives: 5,
    onText: (_, text) => said.push(text.id),
    onLine: () => {},
  });
  await access.survey();
  const [gathered] = await access.collect([{ node: "node-0", pods: ["shop/db-0"] }]);
  return { gathered, calls: calls.filter((c) => !c.startsWith("get")), said };
}

const AGENT = row("hairpin", "hairpin-agent-x", { hostPid: "true" });

test("an agent that is there is asked first, for the pods that are wanted", async () => {
  const questions: AgentQuestion[] = [];
  const { port } = await agent(async (question) => {
    questions.push(question);
    return Buffer.from("dump");
  });
  const there = row("shop", "db-0") + row("kube-system", "cni-x", { hostPid: "true", privileged: "true" }) + AGENT;
  const { gathered, calls } = await collected(there, port);
  expect(gathered).toMatchObject({ ok: true, node: "node-0" });
  expect(questions).toEqual([{ pods: [POD], all: false }]);
  expect(calls).toEqual(["port-forward --address=127.0.0.1 -n hairpin pod/hairpin-agent-x :9437"]);
});

test("one that may not be asked, or fails, is passed over and said; one that cannot see its node is none", async () => {
  const forbidden = await collected(AGENT, undefined);
  expect(forbidden.said).toContain("live.agent-failed");
  expect(forbidden.calls.length).toBeGreaterThan(1);
  const { port } = await agent(async () => undefined);
  expect((await collected(AGENT, port)).said).toContain("live.agent-failed");
  const stranger = await collected(row("shop", "hairpin-agent-x"), port);
  expect(stranger.calls.join("\n")).not.toContain("port-forward");
});
