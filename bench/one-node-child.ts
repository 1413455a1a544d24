import { Askable } from "@hairpin/core/diagnose/index.ts";
import { type CaseInput, ReadBefore, readCase } from "@hairpin/core/parse/index.ts";
import { type SweptCluster, sweptCluster } from "@hairpin/testing/swept-cluster.ts";
import { printSecondSnapshot } from "./second-snapshot.ts";

const [nodes = "200", fault = ""] = process.argv.slice(2);

function inputsOf(faults: SweptCluster["faults"]): readonly CaseInput[] {
  const files = sweptCluster({ nodes: Number(nodes), pods: 1, services: 5, nodePorts: 2, faults });
  return Object.entries(files).map(([path, text]) => ({ path, text }));
}

const at = Math.floor(Number(nodes) / 2);
const [before, after] = [inputsOf([]), inputsOf(fault === "" ? [] : [{ kind: fault as "kubelet-down", at }])];
const readBefore = new ReadBefore();
const asked = (inputs: readonly CaseInput[]): Askable =>
  new Askable({ inputs, reading: readCase(inputs, undefined, undefined, readBefore), notes: [] }, []);
printSecondSnapshot(
  () => asked(before),
  () => asked(after),
);
