import type { RejectTarget } from "../../../model/index.ts";
import { type Family, PROTO } from "../../../net/index.ts";
import { given, option, type TargetExtension, targetExtension } from "../rule/extension.ts";
import { oneOf } from "../values/index.ts";

const REPLIES = {
  4: oneOf(
    [
      "icmp-port-unreachable",
      "icmp-net-unreachable",
      "icmp-host-unreachable",
      "icmp-proto-unreachable",
      "icmp-net-prohibited",
      "icmp-host-prohibited",
      "icmp-admin-prohibited",
      "tcp-reset",
    ],
    {
      "port-unreach": "icmp-port-unreachable",
      "net-unreach": "icmp-net-unreachable",
      "host-unreach": "icmp-host-unreachable",
      "proto-unreach": "icmp-proto-unreachable",
      "net-prohib": "icmp-net-prohibited",
      "host-prohib": "icmp-host-prohibited",
      "admin-prohib": "icmp-admin-prohibited",
      "tcp-rst": "tcp-reset",
    },
    true,
  ),
  6: oneOf(
    [
      "icmp6-port-unreachable",
      "icmp6-no-route",
      "icmp6-adm-prohibited",
      "icmp6-addr-unreachable",
      "icmp6-policy-fail",
      "icmp6-reject-route",
      "tcp-reset",
    ],
    {
      "port-unreach": "icmp6-port-unreachable",
      "no-route": "icmp6-no-route",
      "adm-prohibited": "icmp6-adm-prohibited",
      "addr-unreach": "icmp6-addr-unreachable",
      "policy-fail": "icmp6-policy-fail",
      "reject-route": "icmp6-reject-route",
    },
    true,
  ),
} as const;

const extension = (family: Family): TargetExtension =>
  targetExtension<{ with: string }, RejectTarget>({
    name: "REJECT",
    family,
    tables: ["filter"],
    hooks: ["INPUT", "FORWARD", "OUTPUT"],
    fields: { with: option<string>("--reject-with", REPLIES[family]) },
    make: ({ with: reply }, { protocol }) => {
      const answer = reply?.value ?? (family === 4 ? "icmp-port-unreachable" : "icmp6-port-unreachable");
      const tcp = protocol !== undefined && !protocol.negated && protocol.value === PROTO.tcp;
      return answer === "tcp-reset" && !tcp ? "tcp-reset needs -p tcp" : { kind: "reject", with: answer };
    },
    show: (target) => ({ with: given(target.with) }),
  });

export const REJECT = extension(4);
export const REJECT6 = extension(6);
