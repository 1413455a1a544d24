import { describe, expect, test } from "vitest";
import { readCase } from "../case/read-case.ts";
import { labelOf } from "./label.ts";

const RULES = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n";

describe("labels of machines", () => {
  test.each([
    ["Node 1:", "Node 1"],
    ["## Worker", "Worker"],
    ["**On the master:**", "master"],
    ["- node-2", "node-2"],
    ["k8s-node1:", "k8s-node1"],
    ["On my-worker-2", "my-worker-2"],
    ["【节点 k8s-1】", "k8s-1"],
    ["k8s-1 节点上：", "k8s-1"],
    ["The node is dead.", undefined],
    ["nodes", undefined],
    ["node is not ready yet", undefined],
    ["Here are the routes:", undefined],
  ])("%j", (line, name) => expect(labelOf(line)).toBe(name));

  const nodes = (text: string) => readCase([{ path: "t.md", text }]).dumps.map((d) => [d.node.value, d.node.by]);
  const block = `\`\`\`\n$ ip rule\n${RULES}\`\`\`\n`;

  test("two labels, two nodes", () => {
    expect(nodes(`Node 1:\n\n${block}\nNode 2:\n\n${block}`)).toEqual([
      ["Node 1", "content"],
      ["Node 2", "content"],
    ]);
  });
  test("one label says nothing that need be said", () => {
    expect(nodes(`On the master:\n\n${block}\nand then\n\n${block}`)).toEqual([
      ["node", "default"],
      ["node", "default"],
    ]);
  });
  test("a prompt knows better", () => {
    const named = block.replace("$ ip", "[root@n1 ~]# ip");
    expect(nodes(`Node 1:\n\n${named}\nNode 2:\n\n${block}`).map((n) => n[0])).toEqual(["n1", "Node 2"]);
  });
});
