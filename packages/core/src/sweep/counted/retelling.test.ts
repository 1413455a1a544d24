import { describe, expect, it } from "vitest";
import { text } from "../../messages/index.ts";
import type { Answer } from "../answer.ts";
import { lineWord } from "./cast.ts";
import { Retelling } from "./retelling.ts";

/** Words of a cast: the client's node, a pod's address, a node port, the Service's name, its line. */
type Cast = readonly [string, string, string, string, string];

const castOf = (n: number, name = `db-${n}`): Cast => [
  `node-${n}`,
  `10.0.0.${n}`,
  `${30_000 + n}`,
  name,
  lineWord("all.yaml", n),
];

const answerOf = ([node, address, port, name, line]: Cast, command = `kubectl patch svc ${name}`): Answer => ({
  verdict: "unreachable",
  clientSees: "timeout",
  leaning: null,
  causes: [
    {
      code: "NODEPORT_ADDRESSES",
      certainty: "proven",
      stack: `pod-${address}`,
      summary: text("cause.nodeport_addresses", { stack: node, port: Number(port), address: `${address}:${port}` }),
      evidence: [{ file: "all.yaml", line: Number(line.split(":")[1]) }],
    },
  ],
  facts: [{ fact: `${node}/unshown`, command: null }],
  fix: { code: "ETP_CLUSTER", summary: "", commands: [command], names: [] },
});

describe("an answer that is told again", () => {
  const asking =
    (retelling: Retelling) =>
    (cast: Cast, walked: Answer, words: readonly string[] = cast) =>
      retelling.of(
        "key",
        cast[3],
        () => [...words, `pod-${words[1]}`],
        () => walked,
      );
  const plain = (n: number): readonly [Cast, Answer] => [castOf(n), answerOf(castOf(n))];

  it("is that of a walk with other names in their places, once walks have shown that it is", () => {
    const ask = asking(new Retelling());
    expect(ask(...plain(1)).walked).toBe(true);
    expect(ask(...plain(2)).walked).toBe(true);
    expect(ask(castOf(30), answerOf(castOf(1)))).toEqual({ answer: answerOf(castOf(30)), walked: false });
  });

  it("has a word for whom it names only where he stands by himself", () => {
    const ask = asking(new Retelling());
    for (const n of [1, 2]) ask(castOf(n), answerOf(castOf(n), "ip route add 10.0.0.10/32 dev node-10 metric 300010"));
    const [{ commands }] = [ask(castOf(3), answerOf(castOf(1))).answer.fix!];
    expect(commands).toEqual(["ip route add 10.0.0.10/32 dev node-10 metric 300010"]);
  });

  it("is walked where it is another than was thought: a Service may be called like a word of a command", () => {
    const ask = asking(new Retelling());
    const named = (name: string): Answer => answerOf(castOf(1, name), `kubectl patch svc ${name}`);
    ask(castOf(1, "svc"), named("svc"));
    for (const name of ["db", "web", "api", "cart"])
      expect(ask(castOf(1, name), named(name))).toEqual({ answer: named(name), walked: true });
  });

  it("is walked where a name stands for two, or somebody else takes part", () => {
    const ask = asking(new Retelling());
    const one: Cast = ["node-1", "10.0.0.1", "30001", "node-1", lineWord("all.yaml", 1)];
    ask(one, answerOf(one));
    for (const n of [2, 3, 4]) expect(ask(...plain(n)).walked).toBe(true);
    const more = asking(new Retelling());
    for (const n of [1, 2]) more(...plain(n));
    expect(more(castOf(3), answerOf(castOf(3)), [...castOf(3), "node-9"]).walked).toBe(true);
  });

  it("is walked where a word is another for the first time", () => {
    const ask = asking(new Retelling());
    const on = (node: string, n: number): Cast => {
      const [, ...rest] = castOf(n);
      return [node, ...rest];
    };
    for (const n of [1, 2]) ask(on("a", n), answerOf(on("a", n)));
    expect(ask(on("a", 3), answerOf(on("a", 1))).walked).toBe(false);
    expect(ask(on("b", 4), answerOf(on("b", 4))).walked).toBe(true);
    expect(ask(on("c", 5), answerOf(on("a", 1)))).toEqual({ answer: answerOf(on("c", 5)), walked: false });
  });
});
