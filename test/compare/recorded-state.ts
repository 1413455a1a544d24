import { check, type StateDifference } from "@hairpin/core/check/index.ts";
import { readCase } from "@hairpin/core/parse/index.ts";
import { caseFolder, type ObjectsCase } from "../kube-proxy/objects-harness.ts";

export type Files = Readonly<Record<string, string>>;

/** What stood on the node, in the files that one would collect it into. */
export function recordedState(c: ObjectsCase): Files {
  const { rules, ipsetSaveDerived, ipvsadmSaveDerived } = c.recorded as Readonly<Record<string, string | undefined>>;
  const save = c.ipFamily === "IPv6" ? "ip6tables-save.txt" : "iptables-save.txt";
  return {
    [save]: rules!,
    ...(ipsetSaveDerived !== undefined && { "ipset-save.txt": ipsetSaveDerived }),
    ...(ipvsadmSaveDerived !== undefined && ipvsadmSaveDerived !== "" && { "ipvsadm-Sn.txt": ipvsadmSaveDerived }),
  };
}

/** `hairpin check` of a folder with the objects, and the state of the node in nodes/NAME. */
export function differencesIn(c: ObjectsCase, state: Files, version = c.versions[0]!): readonly StateDifference[] {
  const files = {
    ...caseFolder(c, { version }),
    ...Object.fromEntries(Object.entries(state).map(([name, text]) => [`nodes/${c.nodeName}/${name}`, text])),
  };
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  return check(readCase(inputs), inputs).differences;
}
