import { describe, expect, test } from "vitest";
import type { Match } from "../netfilter/index.ts";
import {
  calicoPolicies,
  isAboutService,
  isServiceChain,
  ownerOfChain,
  plainSetName,
  proxyChain,
  refusalOf,
  serviceName,
  serviceOfRule,
} from "./index.ts";

const commented = (text: string) => ({ matches: [{ kind: "comment", text } satisfies Match] });

describe("chains", () => {
  test.each([
    ["KUBE-SERVICES", "kube-proxy"],
    ["KUBE-SVC-ERIFXISQEP7F7OF4", "kube-proxy"],
    ["KUBE-SOMETHING-NEW", "kube-proxy"],
    ["KUBE-FIREWALL", "kubelet"],
    ["KUBE-POD-FW-ABCDEFGHIJKLMNOP", "kube-router"],
    ["cali-fw-cali1234", "calico"],
    ["FLANNEL-POSTRTG", "flannel"],
    ["CILIUM_POST_nat", "cilium"],
    ["WEAVE-NPC-DEFAULT", "weave"],
    ["DOCKER", "docker"],
    ["DOCKER-ISOLATION-STAGE-1", "docker"],
    ["FWDI_public", "firewalld"],
    ["IN_public_allow", "firewalld"],
    ["ufw-user-input", "ufw"],
    ["ISTIO_REDIRECT", "istio"],
    ["FORWARD", undefined],
    ["INPUT", undefined],
    ["POSTROUTING", undefined],
    ["DOCKERED", undefined],
    ["kube-services", undefined],
  ])("%s is of %s", (name, owner) => expect(ownerOfChain(name)).toBe(owner));

  test("say what they are for", () => {
    expect(proxyChain("KUBE-SEP-ABCDEFGHIJKLMNOP")).toBe("endpoint");
    expect(proxyChain("KUBE-XLB-ABCDEFGHIJKLMNOP")).toBe("local-before-1.24");
    expect(proxyChain("KUBE-NODEPORTS")).toBe("node-ports");
    expect(proxyChain("KUBE-FIREWALL")).toBeUndefined();
    expect(["KUBE-FW-X", "KUBE-FIREWALL", "KUBE-FORWARD", "KUBE-EXTERNAL-SERVICES"].map(isServiceChain)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe("comments", () => {
  test.each([
    ["shop/web:http cluster IP", "shop/web:http", "cluster IP"],
    ["shop/web", "shop/web", ""],
    ["shop/web:http has no endpoints", "shop/web:http", "has no endpoints"],
    ['"shop/web:http"', "shop/web:http", ""],
    ["shop/web:http -> 10.244.1.5:8080", "shop/web:http", "-> 10.244.1.5:8080"],
  ])("%s", (text, name, rest) => {
    const about = serviceOfRule(commented(text))!;
    expect([serviceName(about), about.rest]).toEqual([name, rest]);
  });
  test.each(["kubernetes service portals", "/etc/passwd", "Shop/Web", "shop/", "a/b/c"])(
    "%s names no Service",
    (text) => expect(serviceOfRule(commented(text))).toBeUndefined(),
  );
  test("a Service is not another whose name begins like it", () => {
    expect(isAboutService(commented("shop/web:http cluster IP"), "shop/web")).toBe(true);
    expect(isAboutService(commented("shop/web-2:http cluster IP"), "shop/web")).toBe(false);
  });
  test("refusals and policies", () => {
    expect(refusalOf(commented("shop/web:http has no endpoints"))).toBe("no-endpoints");
    expect(refusalOf(commented("shop/web:http has no local endpoints"))).toBe("no-local-endpoints");
    expect(refusalOf(undefined)).toBeUndefined();
    const rule = commented("Policy shop/knp.default.allow-web ingress") as never;
    expect(calicoPolicies(rule)).toEqual([{ policy: "shop/allow-web", way: "Ingress" }]);
  });
  test("names of IPv6 sets", () => {
    expect(plainSetName("KUBE-6-CLUSTER-IP")).toBe("KUBE-CLUSTER-IP");
    expect(plainSetName("KUBE-CLUSTER-IP")).toBe("KUBE-CLUSTER-IP");
  });
});
