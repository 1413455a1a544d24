import type { Varied } from "./varied.ts";

/** The file of this name, changed; what was not dumped stays so. */
export function edit({ files, folder }: Varied, name: string, change: (text: string) => string): void {
  const path = `${folder}/${name}`;
  const text = files[path];
  if (text !== undefined) files[path] = change(text);
}

/** The same with lines at its end, in a new file where there is none. */
export function append({ files, folder }: Varied, name: string, text: string): void {
  const path = `${folder}/${name}`;
  files[path] = `${files[path] ?? ""}${text}`;
}

export const rulesOf = ({ family }: Varied): string => (family === 6 ? "ip6tables-save.txt" : "iptables-save.txt");
export const routesOf = ({ family }: Varied): string => (family === 6 ? "ip-6-route.txt" : "ip-route.txt");

/** A rule before all others of its chain; the table and the chain are made where they are not there. */
export function rule(given: Varied, table: string, chain: string, ...rules: readonly string[]): void {
  edit(given, rulesOf(given), (text) => {
    const head = `*${table}\n`;
    const whole = text.includes(head) ? text : `${text}${head}COMMIT\n`;
    const start = whole.indexOf(head) + head.length;
    const end = whole.indexOf("COMMIT", start);
    const body = whole.slice(start, end);
    const isBuiltIn = /^[A-Z]+$/.test(chain) && !chain.startsWith("KUBE");
    const declared = new RegExp(`^:${chain} `, "m").test(body) ? "" : `:${chain} ${isBuiltIn ? "ACCEPT" : "-"} [0:0]\n`;
    const at = body.search(/^-A /m);
    const [heads, own] = at < 0 ? [body, ""] : [body.slice(0, at), body.slice(at)];
    const lines = rules.map((r) => `-A ${chain} ${r}\n`).join("");
    return `${whole.slice(0, start)}${declared}${heads}${lines}${own}${whole.slice(end)}`;
  });
}

/** Who or what `at` means, of several. */
export const pick = <T>(list: readonly T[], at: number): T => list[at % list.length]!;

/** Somebody or some of a network. */
export function who({ addresses: a, nodes, pods, at, family }: Varied, turn = 0): string {
  const host = family === 6 ? 128 : 32;
  const number = Math.floor(at / 7) + turn;
  const node = number % nodes;
  return pick(
    [
      `${a.pod(node, number % pods)}/${host}`,
      `${a.node(node)}/${host}`,
      a.podNetwork(node),
      a.half(node),
      a.clusterCidr,
      a.nodeNetwork,
      `${a.pod(node, 0)}/${host - 1}`,
    ],
    at + turn,
  );
}

export const host = (given: Varied, turn = 0): string => {
  const { addresses: a, nodes, pods, at } = given;
  const number = Math.floor(at / 7) + turn;
  return number % 3 === 0 ? a.node(number % nodes) : a.pod(number % nodes, number % pods);
};

export const vip = ({ addresses: a, services, at }: Varied): string => a.service(at % services);
