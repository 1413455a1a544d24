import { bit, lines, node, octets, type Shape } from "./shape.ts";

/** A node of nftables alone: what stands in a table, and in its chain of locally made packets. */
const nft = (rest: string, output: string): Readonly<Record<string, string>> =>
  node({
    "nft-list-ruleset.txt": `table ip t {\n${rest}\n\tchain output {\n\t\ttype filter hook output priority filter; policy accept;\n${output}\n\t}\n}\n`,
  });
const nftChain = (name: string, rules: string): string => `\tchain ${name} {\n\t\t${rules}\n\t}`;

export const NFT_SHAPES: readonly Shape[] = [
  {
    name: "nft chains that jump twice to the next",
    n: 12,
    files: (n) =>
      nft(
        `${lines(n, (i) => nftChain(`c${n - i}`, n - i === n ? "counter" : `jump c${n - i + 1}\n\t\tjump c${n - i + 1}`))}\n`,
        "\t\tjump c1\n\t\tjump c1",
      ),
  },
  {
    name: "nft chains that go to each other",
    n: 200,
    files: (n) =>
      nft(
        lines(n, (i) => nftChain(`c${i}`, `meta mark set ${i}\n\t\tgoto c${(i + 1) % n}`)),
        "\t\tgoto c0",
      ),
  },
  {
    name: "nft chains that call each other",
    n: 200,
    files: (n) =>
      nft(
        lines(n, (i) => nftChain(`c${i}`, `jump c${(i + 1) % n}\n\t\tjump c${(i + 7) % n}`)),
        "\t\tjump c0",
      ),
  },
  {
    name: "nft rules that all match",
    n: 20_000,
    files: (n) =>
      nft(
        "",
        lines(n, (i) => `\t\tmeta mark set meta mark | ${bit(i)} counter packets 0 bytes 0`),
      ),
  },
  {
    name: "nft marks by chance",
    n: 50,
    files: (n) =>
      nft(
        "",
        lines(n, (i) => `\t\tnumgen random mod 2 0 meta mark set meta mark | ${bit(i)}`),
      ),
  },
  {
    name: "nft sets nobody showed",
    n: 100,
    files: (n) =>
      nft(
        "",
        lines(n, (i) => `\t\tip daddr @s${i} meta mark set meta mark | ${bit(i)}`),
      ),
  },
  {
    name: "elements of an nft set",
    n: 10_000,
    files: (n) =>
      nft(
        `\tset s {\n\t\ttype ipv4_addr\n\t\tflags interval\n\t\telements = { ${Array.from({ length: n }, (_, i) => `11.${octets(2 * i)}`).join(", ")} }\n\t}`,
        "\t\tip daddr @s drop",
      ),
  },
  {
    name: "ranges of two fields in an nft set",
    n: 3_000,
    files: (n) =>
      nft(
        `\tset s {\n\t\ttype ipv4_addr . inet_service\n\t\tflags interval\n\t\telements = { ${Array.from({ length: n }, (_, i) => `11.${octets(4 * i)}-11.${octets(4 * i + 2)} . ${1 + (i % 60000)}-${2 + (i % 60000)}`).join(", ")} }\n\t}`,
        "\t\tip daddr . tcp dport @s drop",
      ),
  },
  {
    name: "an nft verdict map of kube-proxy's size",
    n: 3_000,
    files: (n) =>
      nft(
        `\tmap services {\n\t\ttype ipv4_addr . inet_proto . inet_service : verdict\n\t\telements = { ${Array.from({ length: n }, (_, i) => `10.96.${(i >> 8) & 255}.${i & 255} . tcp . 443 : goto s${i}`).join(", ")} }\n\t}\n${lines(n, (i) => nftChain(`s${i}`, "counter packets 0 bytes 0 accept"))}`,
        "\t\tip daddr . meta l4proto . th dport vmap @services",
      ),
  },
  {
    name: "nft verdict maps that jump twice to the next",
    n: 12,
    files: (n) =>
      nft(
        `${lines(n, (i) => nftChain(`c${n - i}`, n - i === n ? "counter" : `ip protocol vmap { tcp : jump c${n - i + 1}, udp : drop }\n\t\ttcp dport vmap { 443 : jump c${n - i + 1} }`))}\n`,
        "\t\tmeta l4proto vmap { tcp : jump c1 }",
      ),
  },
  {
    name: "nft endpoints by chance",
    n: 500,
    files: (n) =>
      node({
        "nft-list-ruleset.txt": `table ip t {\n\tchain output {\n\t\ttype nat hook output priority -100; policy accept;\n\t\tip daddr 10.96.0.1 tcp dport 443 dnat to numgen random mod ${n} map { ${Array.from({ length: n }, (_, i) => `${i} : 10.0.${i >> 8}.${i & 255} . 443`).join(", ")} }\n\t}\n}\n`,
      }),
  },
  {
    name: "an nft endpoint of a thousand million",
    n: 1000,
    files: (n) =>
      nft(
        nftChain("e0", "accept"),
        `\t\tnumgen random mod ${n * 1_000_000} vmap { 0 : goto e0 }\n\t\tjhash ip saddr mod ${n * 1_000_000} vmap { 0 : goto e0 }\n\t\tsymhash mod ${n * 1_000_000} vmap { 0 : goto e0 }`,
      ),
  },
  {
    name: "nft base chains of one hook",
    n: 1_000,
    files: (n) =>
      node({
        "nft-list-ruleset.txt": lines(
          n,
          (i) =>
            `table ip t${i} {\n\tchain output {\n\t\ttype filter hook output priority ${i % 300}; policy accept;\n\t\tcounter packets 0 bytes 0\n\t}\n}`,
        ),
      }),
  },
  {
    name: "nft braces that never close",
    n: 5_000,
    files: (n) => node({ "nft-list-ruleset.txt": `table ip t {\n\tchain c {\n\t\tip daddr ${"{ ".repeat(n)}\n` }),
  },
  {
    name: "nft chains inside of rules",
    n: 200,
    files: (n) => nft("", `\t\tjump ${"{ jump ".repeat(n)}{ counter }${" }".repeat(n)}`),
  },
  {
    name: "nft expressions in one another",
    n: 1_000,
    files: (n) => nft("", `\t\tmeta mark set ${"(meta mark | ".repeat(n)}1${")".repeat(n)}`),
  },
  {
    name: "nft as JSON",
    n: 2_000,
    files: (n) =>
      node({
        "nft-ruleset.json": JSON.stringify({
          nftables: [
            { table: { family: "ip", name: "t", handle: 1 } },
            {
              chain: {
                family: "ip",
                table: "t",
                name: "output",
                handle: 1,
                type: "filter",
                hook: "output",
                prio: 0,
                policy: "accept",
              },
            },
            ...Array.from({ length: n }, (_, i) => ({
              rule: {
                family: "ip",
                table: "t",
                chain: "output",
                handle: i + 2,
                expr: [
                  {
                    match: {
                      op: "==",
                      left: { payload: { protocol: "ip", field: "daddr" } },
                      right: `11.${octets(i)}`,
                    },
                  },
                  { drop: null },
                ],
              },
            })),
          ],
        }),
      }),
  },
];
