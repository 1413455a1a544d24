import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable, diagnose } from "../../packages/core/src/diagnose/index.ts";
import { linesOf } from "../../packages/core/src/model/index.ts";
import { readCase } from "../../packages/core/src/parse/index.ts";

const cases = join(import.meta.dirname, "../../cases");

/** The first lines that a bundled case's first cause quotes, with another file beside its own. */
function quoted(name: string, question: { from: string; to: string }, more: readonly { path: string; text: string }[]) {
  const { inputs, caseFile, notes } = loadCase([join(cases, name)]);
  const all = [...inputs, ...more];
  const askable = new Askable(
    { inputs: all, reading: readCase(all, caseFile), notes, ...(caseFile !== undefined && { caseFile }) },
    [],
  );
  const [first] = diagnose(askable, question).causes;
  return {
    code: first?.code,
    lines: first?.evidence.flatMap(linesOf).map((o) => askable.quote(o.file, o.line)?.trim() ?? "") ?? [],
  };
}

test("the wrong clusterCIDR and the rule made of it stand before the masquerade and the drop behind it", () => {
  const config = `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
clusterCIDR: 192.168.0.0/16
`;
  const asked = { from: "pod/shop/api-0", to: "10.98.4.4:5432" };
  const { code, lines } = quoted("policy-sees-the-node", asked, [{ path: "kube-proxy.yaml", text: config }]);
  expect(code).toBe("MASQ_TOO_MUCH");
  expect(lines[0]).toBe("clusterCIDR: 192.168.0.0/16");
  expect(lines[1]).toContain("! -s 192.168.0.0/16");
});

test("hairpin off is quoted, not the head of its link", () => {
  const { code, lines } = quoted("hairpin-mode-off", { from: "pod/default/web-1", to: "10.96.40.10:80" }, []);
  expect(code).toBe("HAIRPIN_OFF");
  expect(lines[0]).toContain("hairpin off");
});

test("targetPort is quoted where no pod has a port of that name", () => {
  const { code, lines } = quoted("objects-alone", { from: "pod/books/storefront-0", to: "10.109.50.12:80" }, []);
  expect(code).toBe("NO_ENDPOINTS");
  expect(lines[0]).toBe("targetPort: web");
});
