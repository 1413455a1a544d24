import { assemble } from "@hairpin/core/assemble/index.ts";
import type { World } from "@hairpin/core/model/index.ts";
import { readCase } from "@hairpin/core/parse/index.ts";

export interface Service {
  readonly vip: string;
  readonly port: number;
  readonly protocol: "tcp" | "udp";
  readonly nodePort?: number;
  readonly local?: boolean;
  readonly affinity?: boolean;
  readonly endpoints: readonly string[];
}

/** How the rules of the same Services are written: all of it means nothing to a packet. */
export interface Writing {
  /** Appended to the names of chains of Services and endpoints. */
  readonly suffix: string;
  readonly order: <T>(items: readonly T[]) => readonly T[];
  readonly counters: () => string;
  readonly comment: string;
  readonly extras: readonly string[];
}

export const PLAIN: Writing = { suffix: "", order: (x) => x, counters: () => "[0:0]", comment: "", extras: [] };

const ADDR = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP group default qlen 1000
    link/ether 02:00:00:00:00:10 brd ff:ff:ff:ff:ff:ff
    inet 192.0.2.10/24 brd 192.0.2.255 scope global eth0
       valid_lft forever preferred_lft forever
3: cali1@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether ee:ee:ee:ee:ee:ee brd ff:ff:ff:ff:ff:ff link-netnsid 0
4: cali2@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether ee:ee:ee:ee:ee:ee brd ff:ff:ff:ff:ff:ff link-netnsid 1
`;
const ROUTE = `default via 192.0.2.1 dev eth0
192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.10
10.244.1.5 dev cali1 scope link
10.244.1.6 dev cali2 scope link
10.244.2.0/24 via 192.0.2.11 dev eth0
`;
const RULE = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n";
const SYSCTL = ["all", "default", "lo", "eth0", "cali1", "cali2"]
  .flatMap((d) =>
    ["rp_filter = 0", "forwarding = 1", "accept_local = 0", "route_localnet = 0", "src_valid_mark = 0"].map(
      (v) => `net.ipv4.conf.${d}.${v}`,
    ),
  )
  .concat(["net.ipv4.ip_forward = 1", "net.ipv4.fwmark_reflect = 0"])
  .map((l) => `${l}\n`)
  .join("");

export type Files = Readonly<Record<string, string>>;

/** A node as its dumps: kube-proxy's iptables mode, written in one of many ways. */
export function nodeFiles(services: readonly Service[], w: Writing = PLAIN): Files {
  return {
    "ip-addr.txt": ADDR,
    "ip-route.txt": ROUTE,
    "ip-rule.txt": RULE,
    "sysctl.txt": SYSCTL,
    "iptables-save.txt": rules(services, w),
  };
}

function rules(services: readonly Service[], w: Writing): string {
  const comment = (text: string) => (w.comment === "drop" ? "" : ` -m comment --comment "${text}${w.comment}"`);
  const chains: string[] = [];
  const nodePorts: string[] = [];
  const portals: string[] = [];
  const bodies: string[][] = [];
  const closed: string[] = [];
  for (const [i, s] of services.entries()) {
    const svc = `KUBE-SVC-${i}${w.suffix}`;
    const name = `default/s${i}`;
    const sep = (e: string) => `KUBE-SEP-${i}-${e.replaceAll(/[.:]/g, "-")}${w.suffix}`;
    chains.push(svc, ...s.endpoints.map(sep));
    portals.push(
      `-A KUBE-SERVICES -d ${s.vip}/32 -p ${s.protocol}${comment(`${name} cluster IP`)} -m ${s.protocol} --dport ${s.port} -j ${svc}`,
    );
    const order = w.order(s.endpoints);
    const body = [
      `-A ${svc} ! -s 10.244.0.0/16 -d ${s.vip}/32 -p ${s.protocol}${comment(name)} -m ${s.protocol} --dport ${s.port} -j KUBE-MARK-MASQ`,
    ];
    if (s.affinity === true)
      for (const e of order)
        body.push(
          `-A ${svc}${comment(name)} -m recent --rcheck --seconds 10800 --reap --name ${sep(e)} --mask 255.255.255.255 --rsource -j ${sep(e)}`,
        );
    for (const [n, e] of order.entries()) {
      const left = order.length - n;
      const chance = left === 1 ? "" : ` -m statistic --mode random --probability ${(1 / left).toFixed(11)}`;
      body.push(`-A ${svc}${comment(name)}${chance} -j ${sep(e)}`);
    }
    for (const e of order) {
      const list = s.affinity === true ? ` -m recent --set --name ${sep(e)} --mask 255.255.255.255 --rsource` : "";
      body.push(
        `-A ${sep(e)} -s ${e.split(":")[0]}/32${comment(name)} -j KUBE-MARK-MASQ`,
        `-A ${sep(e)} -p ${s.protocol}${comment(name)}${list} -m ${s.protocol} -j DNAT --to-destination ${e}`,
      );
    }
    if (s.nodePort !== undefined) {
      const ext = `KUBE-EXT-${i}${w.suffix}`;
      chains.push(ext);
      nodePorts.push(
        `-A KUBE-NODEPORTS -p ${s.protocol}${comment(name)} -m ${s.protocol} --dport ${s.nodePort} -j ${ext}`,
      );
      if (s.local === true) {
        body.push(`-A ${ext} -s 10.244.0.0/16${comment(name)} -j ${svc}`);
        const here = order.filter((e) => e.startsWith("10.244.1."));
        if (here.length === 0)
          closed.push(
            `-A KUBE-EXTERNAL-SERVICES -p ${s.protocol}${comment(`${name} has no local endpoints`)} -m addrtype --dst-type LOCAL -m ${s.protocol} --dport ${s.nodePort} -j DROP`,
          );
        for (const [n, e] of here.entries()) {
          const left = here.length - n;
          const chance = left === 1 ? "" : ` -m statistic --mode random --probability ${(1 / left).toFixed(11)}`;
          body.push(`-A ${ext}${chance} -j ${sep(e)}`);
        }
      } else body.push(`-A ${ext}${comment(name)} -j KUBE-MARK-MASQ`, `-A ${ext} -j ${svc}`);
    }
    bodies.push(body);
  }
  const heads = w.order(["KUBE-SERVICES", "KUBE-NODEPORTS", "KUBE-MARK-MASQ", "KUBE-POSTROUTING", ...chains]);
  const c = w.counters;
  return `*filter
:INPUT ACCEPT ${c()}
:FORWARD ACCEPT ${c()}
:OUTPUT ACCEPT ${c()}
:KUBE-EXTERNAL-SERVICES - ${c()}
:KUBE-FORWARD - ${c()}
-A INPUT -m conntrack --ctstate NEW${comment("kubernetes externally-visible service portals")} -j KUBE-EXTERNAL-SERVICES
-A FORWARD -m conntrack --ctstate NEW${comment("kubernetes externally-visible service portals")} -j KUBE-EXTERNAL-SERVICES
-A FORWARD${comment("kubernetes forwarding rules")} -j KUBE-FORWARD
${w.order(closed).join("\n")}
-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP
-A KUBE-FORWARD -m mark --mark 0x4000/0x4000 -j ACCEPT
-A KUBE-FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
COMMIT
*nat
:PREROUTING ACCEPT ${c()}
:INPUT ACCEPT ${c()}
:OUTPUT ACCEPT ${c()}
:POSTROUTING ACCEPT ${c()}
${heads.map((h) => `:${h} - ${c()}`).join("\n")}
${w.extras.join("\n")}
-A PREROUTING${comment("kubernetes service portals")} -j KUBE-SERVICES
-A OUTPUT${comment("kubernetes service portals")} -j KUBE-SERVICES
-A POSTROUTING${comment("kubernetes postrouting rules")} -j KUBE-POSTROUTING
${w.order(portals).join("\n")}
-A KUBE-SERVICES${comment("nodeports; last")} -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
${w.order(nodePorts).join("\n")}
${w.order(bodies).flat().join("\n")}
-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0
-A KUBE-POSTROUTING -j MASQUERADE
COMMIT
`.replaceAll(/\n{2,}/g, "\n");
}

export const worldOf = (files: Files): World =>
  assemble(readCase(Object.entries(files).map(([path, text]) => ({ path: `nodes/n1/${path}`, text })))).world;
