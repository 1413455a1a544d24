import { assembled, stackOf } from "@hairpin/testing/case.ts";
import { describe, expect, it } from "vitest";

const SAVE = "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n";
const LOG =
  "Mar 31 16:57:22 n kernel: out: IN= OUT=eth0 SRC=10.0.0.2 DST=10.9.0.1 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=1 DF PROTO=TCP SPT=40000 DPT=80 WINDOW=1 RES=0x00 SYN URGP=0\n";
const INSERT_LOG = '[root@n ~]# iptables -t raw -I OUTPUT -d 10.9.0.1 -j LOG --log-prefix "out: "\n';
const DROP = "[root@n ~]# iptables -A FORWARD -j DROP\n";
const rulesIn = (text: string, table: string) => {
  const { world } = assembled({ "s.txt": text });
  const found = stackOf(world, "n").netfilter.tables.find((t) => t.name === table);
  return { rules: found?.chains.flatMap((c) => c.rules) ?? [], table: found };
};

describe("commands typed in a transcript", () => {
  it("that only log are applied where the log follows, as part of a table", () => {
    const { rules, table } = rulesIn(`${INSERT_LOG}[root@n ~]# dmesg\n${LOG}`, "raw");
    expect(rules).toHaveLength(1);
    expect(table!.extent).toBe("partial");
  });

  it("that only log are left out where no log follows", () => {
    const { rules } = rulesIn(`[root@n ~]# dmesg\n${LOG}${INSERT_LOG}`, "raw");
    expect(rules).toHaveLength(0);
  });

  it("that change what a packet meets are applied only where they set the scene", () => {
    expect(rulesIn(`${DROP}[root@n ~]# dmesg\n${LOG}`, "filter").rules).toHaveLength(1);
    const cure = rulesIn(`[root@n ~]# dmesg\n${LOG}${DROP}[root@n ~]# dmesg\n${LOG}`, "filter");
    expect(cure.rules).toHaveLength(0);
  });

  it("never change what a dump shows", () => {
    const { rules } = rulesIn(`${DROP}[root@n ~]# iptables-save\n${SAVE}`, "filter");
    expect(rules).toHaveLength(0);
  });

  it("are the rules themselves where a script is all there is", () => {
    const { world } = assembled({
      "rules.sh": "iptables -t nat -A PREROUTING -p tcp --dport 80 -j REDIRECT --to-ports 8080\n",
    });
    const [table] = stackOf(world).netfilter.tables;
    expect(table).toMatchObject({ name: "nat", extent: "partial" });
    expect(table!.chains.find((c) => c.name === "PREROUTING")!.rules).toHaveLength(1);
  });

  it("of a file apart from the dumps are taken for a cure", () => {
    const { world } = assembled({
      "ip-route.txt": "default via 10.0.0.1 dev eth0\n",
      "fix.sh": "iptables -A FORWARD -j ACCEPT\n",
    });
    expect(stackOf(world).netfilter.tables).toEqual([]);
  });
});
