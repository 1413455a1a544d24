/** kube-proxy writes Services in the order of a Go map: each node in another one. What ends such a chain is for everybody. `text`: the chain's rules. */
export function inMapOrder(node: number, chain: string, text: string): string {
  if (!/^KUBE-(?:.*SERVICES|NODEPORTS)$/.test(chain)) return text;
  const services = new Map<string, string>();
  let rest = "";
  for (const line of text.split("\n")) {
    const key = / -d [\d.]+\/32 /.exec(line)?.[0] ?? / --dport \d+/.exec(line)?.[0];
    if (key !== undefined) services.set(key, `${services.get(key) ?? ""}${line}\n`);
    else if (line !== "") rest += `${line}\n`;
  }
  const turn = (at: number): number => Math.imul(at + 1 + node * 7919, 0x9e3779b1) >>> 0;
  const all = [...services.values()].map((lines, at) => ({ lines, at: turn(at) }));
  return `${all
    .sort((a, b) => a.at - b.at)
    .map((s) => s.lines)
    .join("")}${rest}`;
}

/** The same of a whole iptables-save. */
export const savedInMapOrder = (node: number, save: string): string =>
  save.replace(/(?:^-A (KUBE-\S+) .*\n)(?:-A \1 .*\n)*/gm, (rules, chain: string) => inMapOrder(node, chain, rules));
