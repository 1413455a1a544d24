import { append, edit, pick, rulesOf } from "./edit.ts";
import type { Vary } from "./varied.ts";

const tuple = (src: string, dst: string, sport: number, dport: number): string =>
  `src=${src} dst=${dst} sport=${sport} dport=${dport}`;

/** What was seen of packets, and dumps that say otherwise than others. */
export const OBSERVED: Readonly<Record<string, Vary>> = {
  "second-dump": (g) => {
    const text = g.files[`${g.folder}/${rulesOf(g)}`];
    if (text !== undefined)
      append(g, `later/${rulesOf(g)}`, g.at % 2 === 0 ? text : text.replace(":FORWARD ACCEPT", ":FORWARD DROP"));
  },
  "second-list": (g) =>
    append(
      g,
      `iptables-S.filter.txt`,
      pick(
        [
          "-P INPUT ACCEPT\n-P FORWARD DROP\n-P OUTPUT ACCEPT\n",
          "-P INPUT ACCEPT\n-P FORWARD ACCEPT\n-P OUTPUT ACCEPT\n",
        ],
        g.at,
      ),
    ),
  tracked: (g) => {
    const { addresses: a, n, nodes, pods, services, at } = g;
    const [client, end, own] = [a.pod(n, at % pods), a.pod((n + at) % nodes, at % pods), a.service(at % services)];
    const port = pick([40_000, 32_768, 8080], at);
    append(
      g,
      "conntrack-L.txt",
      pick(
        [
          `tcp      6 86000 ESTABLISHED ${tuple(client, own, port, 80)} ${tuple(end, client, 8080, port)} [ASSURED] mark=0 use=1\n`,
          `tcp      6 110 SYN_SENT ${tuple(client, own, port, 80)} [UNREPLIED] ${tuple(end, client, 8080, port)} mark=0 use=1\n`,
          `udp      17 29 ${tuple(client, a.service(0), port, 53)} ${tuple(a.pod(n, 150), client, 8080, port)} mark=0 use=1\n`,
          `tcp      6 100 TIME_WAIT ${tuple(client, end, port, 8080)} ${tuple(end, a.node(n), 8080, port)} [ASSURED] mark=${pick([0, 16384], at)} use=1\n`,
        ],
        at,
      ),
    );
  },
  "rules-without-counters-of-both": (g) =>
    edit(g, rulesOf(g), (t) => `# Warning: iptables-legacy tables present, use iptables-legacy-save to see them\n${t}`),
};
