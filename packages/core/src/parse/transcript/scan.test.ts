import { describe, expect, test } from "vitest";
import { readCase } from "../case/read-case.ts";

const lines = (...text: string[]): string => text.join("\n");
const read = (text: string, path = "notes.txt") => readCase([{ path, text }]);
const found = (text: string, path?: string) =>
  read(text, path).dumps.map((d) => [d.dialect.id, d.lines[0], d.lines[1]] as const);

const RULES = ["0:\tfrom all lookup local", "32766:\tfrom all lookup main", "32767:\tfrom all lookup default"];
const ROUTES = ["default via 10.0.0.1 dev eth0 ", "10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.5 "];
const SAVE = ["*nat", ":PREROUTING ACCEPT [0:0]", "-A PREROUTING -j ACCEPT", "COMMIT"];
const ADDR = [
  "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000",
  "    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff",
  "    inet 10.0.0.5/24 brd 10.0.0.255 scope global eth0",
  "       valid_lft forever preferred_lft forever",
];

describe("a transcript is cut into its dumps", () => {
  test("a plain dump file is the trivial transcript", () => {
    expect(found(lines(...SAVE), "x.txt")).toEqual([["iptables-save", 1, 4]]);
  });
  test("prompts part the dumps and name the node", () => {
    const { dumps, passedOver } = read(
      lines("[root@n1 ~]# ip rule", ...RULES, "[root@n1 ~]# ip route", ...ROUTES, "[root@n2 ~]# ip route", ...ROUTES),
    );
    expect(dumps.map((d) => [d.node.value, d.node.by, d.dialect.id, ...d.lines])).toEqual([
      ["n1", "prompt", "ip-rule", 2, 4],
      ["n1", "prompt", "ip-route", 6, 7],
      ["n2", "prompt", "ip-route", 9, 10],
    ]);
    expect(passedOver).toEqual([]);
  });
  test("Markdown fences, prose between in any language, headings", () => {
    const text = lines(
      "# 现象",
      "无法访问。",
      "",
      "```",
      "$ ip rule",
      ...RULES,
      "```",
      "",
      "Then the routes:",
      "",
      "~~~",
      ...ROUTES,
      "~~~",
      "The end.",
    );
    const { dumps, passedOver } = read(text);
    expect(dumps.map((d) => [d.dialect.id, ...d.lines])).toEqual([
      ["ip-rule", 6, 8],
      ["ip-route", 14, 15],
    ]);
    expect(passedOver.map((p) => p.lines)).toEqual([
      [1, 2],
      [11, 11],
      [17, 17],
    ]);
  });
  test("indented code keeps the tool's own indentation", () => {
    const { dumps } = read(lines("As seen:", "", ...ADDR.map((l) => `\t${l}`), "", "and so on."));
    expect(dumps.map((d) => [d.dialect.id, ...d.lines])).toEqual([["ip-addr", 3, 6]]);
    expect(dumps[0]?.reading.diagnostics).toEqual([]);
    expect(dumps[0]?.reading.counts).toMatchObject({ devices: 1, addresses: 1 });
  });
  test("a column of line numbers before the block", () => {
    const text = lines("The rules", "", " 1", " 2", " 3", " 4", "# ip rule", ...RULES, "", "More text here.");
    expect(found(text)).toEqual([["ip-rule", 8, 10]]);
    expect(read(text).passedOver.map((p) => p.lines)).toEqual([
      [1, 1],
      [12, 12],
    ]);
  });
  test("numbers that a command printed are no gutter", () => {
    const { dumps } = read(
      lines("[root@n1 ~]# cat /proc/sys/net/ipv4/ip_forward", "1", "[root@n1 ~]# ip rule", ...RULES),
    );
    expect(dumps.map((d) => [d.dialect.id, ...d.lines])).toEqual([
      ["proc-sys-file", 2, 2],
      ["ip-rule", 4, 6],
    ]);
  });
  test.each([
    ["cat -n", (l: string, i: number) => `${String(i + 1).padStart(6)}\t${l}`],
    ["editor", (l: string, i: number) => `${String(i + 7).padStart(3)}  ${l}`],
    ["bar", (l: string, i: number) => `${i + 1} | ${l}`],
  ])("line numbers on each line (%s)", (_, number) => {
    const text = lines(
      ...[
        ...SAVE,
        ...SAVE.map((l) => l.replace("nat", "filter").replace("PREROUTING", "INPUT").replace("PREROUTING", "INPUT")),
      ].map(number),
    );
    const { dumps } = read(text);
    expect(dumps.map((d) => [d.dialect.id, ...d.lines])).toEqual([["iptables-save", 1, 8]]);
    expect(dumps[0]?.reading.diagnostics).toEqual([]);
  });
  test("iptables' own line numbers stay", () => {
    const listing = [
      "Chain INPUT (policy ACCEPT)",
      "num  target     prot opt source               destination         ",
      "1    ACCEPT     all  --  0.0.0.0/0            0.0.0.0/0           ",
      "2    DROP       tcp  --  10.0.0.0/8           0.0.0.0/0            tcp dpt:80",
      "3    DROP       all  --  0.0.0.0/0            0.0.0.0/0           ",
    ];
    const [dump] = read(lines(...listing)).dumps;
    expect(dump?.dialect.id).toBe("iptables-L");
    expect(dump?.reading.counts).toMatchObject({ rules: 3 });
  });
  test("quoted mail", () => {
    expect(found(lines("He wrote:", "", ...["$ ip rule", ...RULES].map((l) => `> ${l}`)))).toEqual([["ip-rule", 4, 6]]);
  });
  test("commands continue on the next line", () => {
    const { dumps } = read(lines("$ ip \\", "> rule", ...RULES));
    expect(dumps.map((d) => [d.dialect.id, ...d.lines, d.context.command?.join(" ")])).toEqual([
      ["ip-rule", 3, 5, "ip rule"],
    ]);
  });
  test("a block that holds only the command, its output in the next", () => {
    const { dumps } = read(lines("```", "$ ip route show table 77", "```", "prints", "```", ...ROUTES, "```"));
    expect(dumps.map((d) => d.context.command?.join(" "))).toEqual(["ip route show table 77"]);
  });
  test("a command named in the text above a block", () => {
    const { dumps } = read(lines("Here is `ip route show table 77`:", "", "```", ...ROUTES, "```"));
    expect(dumps.map((d) => d.context.command?.join(" "))).toEqual(["ip route show table 77"]);
  });
  test.each([
    ["ip route show table 77", 0],
    ["ip route show table 77", 1],
    ["===== ip route show table 77 =====", 0],
    ["### ip route show table 77", 0],
    ["+ ip route show table 77", 0],
    ["Command: ip route show table 77", 0],
    ["--- Output of `ip route show table 77` ---", 0],
  ])("a command without a prompt: %s, %i blank lines below", (heading, blanks) => {
    const { dumps, passedOver } = read(lines("Some prose.", heading, ...Array<string>(blanks).fill(""), ...ROUTES));
    expect(dumps.map((d) => [d.dialect.id, d.context.command?.join(" ")])).toEqual([
      ["ip-route", "ip route show table 77"],
    ]);
    expect(passedOver.map((p) => p.lines)).toEqual([[1, 1]]);
  });
  test("files one after the other, headed by their names", () => {
    const { dumps } = read(
      lines("==> nodes/a/ip-route-table-77.txt <==", ...ROUTES, "", "==> nodes/b/ip-rule.txt <==", ...RULES),
    );
    expect(dumps.map((d) => [d.node.value, d.dialect.id, d.context.command?.join(" ")])).toEqual([
      ["a", "ip-route", "ip route show table 77"],
      ["b", "ip-rule", "ip rule"],
    ]);
  });
  test("what ansible prints, host by host", () => {
    const { dumps } = read(
      lines(
        "$ ansible all -m shell -a 'ip route show table 77'",
        "n1 | CHANGED | rc=0 >>",
        ...ROUTES,
        "n2 | SUCCESS | rc=0 >>",
        ...ROUTES,
      ),
    );
    expect(dumps.map((d) => [d.node.value, d.context.command?.join(" ")])).toEqual([
      ["n1", "ip route show table 77"],
      ["n2", "ip route show table 77"],
    ]);
  });
  test("arrows and emphasis of the author, and indentation lost on the way", () => {
    const routes = [`${ROUTES[0]!.trim()}   <------ the way out`, `**${ROUTES[1]!.trim()}**`];
    const { dumps } = read(lines("$ ip route", ...routes, "$ ip addr", ...ADDR.map((l) => l.trim())));
    expect(dumps.map((d) => [d.reading.counts, d.reading.diagnostics])).toMatchObject([
      [{ routes: 2 }, []],
      [{ devices: 1, addresses: 1 }, []],
    ]);
  });
  test("numbered as a list", () => {
    const text = lines(...["$ ip rule", ...RULES, "$ ip route", ...ROUTES].map((l, i) => `  ${i + 1}. ${l}`));
    expect(found(text).map(([id]) => id)).toEqual(["ip-rule", "ip-route"]);
  });
  test("dumps of the same kind one after the other, without a word between", () => {
    expect(found(lines(...RULES, "", ...ROUTES, "", ...SAVE))).toEqual([
      ["ip-rule", 1, 3],
      ["ip-route", 5, 6],
      ["iptables-save", 8, 11],
    ]);
  });
  test("a pretty-printed JSON document is one dump", () => {
    const json = JSON.stringify([{ ifindex: 1, ifname: "lo", flags: ["UP"], mtu: 65536, addr_info: [] }], null, 4);
    expect(found(lines("$ ip -j -p addr", json, "$ ip rule", ...RULES)).map(([id]) => id)).toEqual([
      "ip-json",
      "ip-rule",
    ]);
  });
});

describe("which namespace", () => {
  test.each([
    ["# nsenter -t 42 -n ip addr", "nsenter:42"],
    ["# ip netns exec blue ip addr", "netns:blue"],
    ["$ kubectl exec -n shop web-0 -- ip addr", "shop/web-0"],
    ["# docker exec web ip addr", "container:web"],
    ["# crictl exec 3f2a ip addr", "container:3f2a"],
    ["/ # ip addr", "container"],
    ["# sudo ip addr", undefined],
    ["# chroot /host ip addr", undefined],
  ])("%s", (command, stack) => {
    const [dump] = read(lines(command, ...ADDR)).dumps;
    expect(dump?.stack?.value).toBe(stack);
  });
  test("ssh names another node", () => {
    const { dumps } = read(lines("[root@n1 ~]# ssh n2 ip rule", ...RULES, "[root@n1 ~]# ip rule", ...RULES));
    expect(dumps.map((d) => d.node.value)).toEqual(["n2", "n1"]);
  });
  test.each(["# 另一台机器", "And on the other node:"])("%s: what follows is not of the machine before", (remark) => {
    const { dumps } = read(lines("$ ip rule", ...RULES, remark, "$ ip rule", ...RULES), "nodes/a/t.txt");
    expect(dumps.map((d) => d.node.value)).toEqual(["a", "another machine"]);
  });
  test("an opened shell lasts until it is left", () => {
    const text = lines(
      "[root@n1 ~]# kubectl exec -it -n shop web-0 -- sh",
      "/ # ip route",
      ...ROUTES,
      "/ # exit",
      "[root@n1 ~]# ip route",
      ...ROUTES,
      "[root@n1 ~]# nsenter -t 42 -n bash",
      "[root@n1 ~]# ip route",
      ...ROUTES,
      "[root@n1 ~]# exit",
      "[root@n1 ~]# ip route",
      ...ROUTES,
    );
    expect(read(text).dumps.map((d) => d.stack?.value)).toEqual(["shop/web-0", undefined, "nsenter:42", undefined]);
  });
});

describe("what is partial, damaged, or no dump", () => {
  test.each(["| grep 10", "| head -3", "| tail -1", "| awk '{print}'", "| sed -n 1,5p", "| less"])(
    "ip route %s",
    (filter) => {
      const [dump] = read(lines(`$ ip route ${filter}`, ...ROUTES)).dumps;
      expect(dump?.context.partial?.value).toMatch(/^through /);
    },
  );
  test.each(["...", "…", "[SNIP!]", "<snip>", "... (20 more lines)", "--", "省略若干行"])(
    "%s inside a dump",
    (mark) => {
      const { dumps } = read(lines("```", ...ROUTES, mark, "10.9.0.0/16 via 10.0.0.9 dev eth0", "```"));
      expect(dumps).toHaveLength(1);
      expect(dumps[0]?.context.partial?.by).toBe("content");
      expect(dumps[0]?.reading.diagnostics).toEqual([]);
      expect(dumps[0]?.reading.counts).toMatchObject({ routes: 3 });
    },
  );
  test("an ellipsis at the end", () => {
    const [dump] = read(lines("```", "$ ip route", ...ROUTES, "", "...", "```")).dumps;
    expect(dump?.context.partial?.by).toBe("content");
  });
  test("prose below the output of a client is not its output", () => {
    const { dumps } = read(
      lines("$ curl -v 10.0.0.1", "*   Trying 10.0.0.1:80...", "^C", "", "Any idea what this could be, dear reader?"),
    );
    expect(dumps.map((d) => d.lines)).toEqual([[2, 3]]);
  });
  test("a damaged line inside a dump is said, with its place", () => {
    const { dumps } = read(lines("[root@n1 ~]# ip rule", RULES[0]!, "327b6: frorn all l00kup main", RULES[2]!));
    expect(dumps).toHaveLength(1);
    expect(dumps[0]?.reading.diagnostics.map((d) => [d.line, d.text])).toEqual([[3, "327b6: frorn all l00kup main"]]);
  });
  test("a damaged last line of a file whose name says what it is", () => {
    const { dumps } = read(lines(...ROUTES, "10.9.0.0/16 v1a 10.0.0.9 d3v eth0"), "ip-route.txt");
    expect(dumps).toHaveLength(1);
    expect(new Set(dumps[0]?.reading.diagnostics.map((d) => d.line))).toEqual(new Set([3]));
  });
  test("garbage in a file whose name says what it is", () => {
    const { dumps } = read("%%%% 1=2 ;;\n", "iptables-save.txt");
    expect(dumps[0]?.dialect.id).toBe("iptables-save");
    expect(dumps[0]?.reading.diagnostics.length).toBeGreaterThan(0);
  });
  test("remarks inside a dump are passed over, not complained of", () => {
    const { dumps, passedOver } = read(
      lines("# first the default", ROUTES[0]!, "# 然后是直连路由", ROUTES[1]!),
      "ip-route.txt",
    );
    expect(dumps).toHaveLength(1);
    expect(dumps[0]?.reading.diagnostics).toEqual([]);
    expect(passedOver.map((p) => p.lines)).toEqual([
      [1, 1],
      [3, 3],
    ]);
  });
  test("pure prose holds nothing", () => {
    const { dumps, passedOver } = read(
      lines("The cluster has three nodes.", "", "Nothing works since Monday, 10.0.0.1 is dead."),
    );
    expect(dumps).toEqual([]);
    expect(passedOver.map((p) => p.lines)).toEqual([[1, 3]]);
  });
  test("columns point into the file, past prompt and indentation", () => {
    const { dumps } = read(
      lines("x", "", "    32766: from all lookup main", "    0: from all frobnicate 7 lookup local"),
    );
    const [diagnostic] = dumps[0]?.reading.diagnostics ?? [];
    expect(diagnostic?.line).toBe(4);
    expect("    0: from all frobnicate 7 lookup local".slice((diagnostic?.column ?? 1) - 1)).toMatch(/^frobnicate/);
  });
  test("commands as typed are one dump, prompts off", () => {
    const { dumps } = read(
      lines("[root@n1 ~]# iptables -t nat -A POSTROUTING -j MASQUERADE", "[root@n1 ~]# iptables -A INPUT -j ACCEPT"),
    );
    expect(dumps.map((d) => [d.dialect.id, ...d.lines])).toEqual([["iptables-commands", 1, 2]]);
  });
});
