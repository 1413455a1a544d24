import { describe, expect, test } from "vitest";
import { commandsOf } from "./shell-words.ts";
import { unwrap } from "./wrapper.ts";

const first = (line: string) => unwrap(commandsOf(line)[0]?.words ?? []);

describe("typed lines", () => {
  test("are split as a shell would", () => {
    expect(commandsOf(`iptables -A X -m comment --comment "a b" -j 'C D' \\$x`)[0]?.words).toEqual([
      "iptables",
      "-A",
      "X",
      "-m",
      "comment",
      "--comment",
      "a b",
      "-j",
      "C D",
      "$x",
    ]);
  });
  test("pipes are cut off and kept as filters", () => {
    const [command] = commandsOf("ipvsadm -ln |& grep -A 3 10.0.0.1 | head -5");
    expect(command?.words).toEqual(["ipvsadm", "-ln"]);
    expect(command?.filters).toEqual([
      ["grep", "-A", "3", "10.0.0.1"],
      ["head", "-5"],
    ]);
  });
  test("several commands, keywords and assignments", () => {
    const commands = commandsOf("LANG=C ip rule; ip route && for i in a b; do echo $i; done");
    expect(commands.map((c) => c.words.join(" "))).toEqual(["ip rule", "ip route", "for i in a b", "echo $i", "done"]);
  });
  test("redirected output is not below the command", () => {
    expect(commandsOf("iptables-save > rules.txt")[0]?.redirected).toBe(true);
    expect(commandsOf("iptables-save 2>/dev/null")[0]?.redirected).toBe(false);
    expect(commandsOf("iptables-save 2>&1 | grep X")[0]?.redirected).toBe(false);
  });
  test.each(["'", '"', "`", "$(", "\\", "|", "a |", "> ", "<<", "&&", ";;;"])("%j does no harm", (line) => {
    expect(() => commandsOf(line)).not.toThrow();
  });
});

describe("wrapped commands", () => {
  test.each([
    ["sudo -E ip rule", "ip rule", undefined, undefined],
    ["sudo -u root env LANG=C ip rule", "ip rule", undefined, undefined],
    ["chroot /host ip rule", "ip rule", undefined, undefined],
    ["watch -n 1 'ip rule'", "ip rule", undefined, undefined],
    ["timeout 5 tcpdump -i eth0", "tcpdump -i eth0", undefined, undefined],
    ["bash -c 'ip rule'", "ip rule", undefined, undefined],
    ["nsenter -t 188058 -n ip add", "ip add", undefined, "nsenter:188058"],
    ["nsenter -t188058 -n -- ip add", "ip add", undefined, "nsenter:188058"],
    ["nsenter -nt 42 ip a", "ip a", undefined, "nsenter:42"],
    ["nsenter --target 42 --net ip a", "ip a", undefined, "nsenter:42"],
    ["nsenter --net=/var/run/netns/cni-1 ip a", "ip a", undefined, "netns:cni-1"],
    ["nsenter -n/proc/42/ns/net ip a", "ip a", undefined, "nsenter:42"],
    ["nsenter -t 42 -m cat /etc/hosts", "cat /etc/hosts", undefined, undefined],
    ["nsenter -t 1 -m -u -n -i iptables-save", "iptables-save", undefined, null],
    ["ip netns exec blue iptables -S", "iptables -S", undefined, "netns:blue"],
    ["ip netns e blue iptables -S", "iptables -S", undefined, "netns:blue"],
    ["ip -n blue route", "ip route", undefined, "netns:blue"],
    ["ip -d -netns blue link", "ip -d link", undefined, "netns:blue"],
    ["ip vrf exec red ping 10.0.0.1", "ping 10.0.0.1", undefined, undefined],
    ["kubectl exec -it web-0 -- ip a", "ip a", undefined, "pod:web-0"],
    ["kubectl -n shop exec web-0 -c app -- ip a", "ip a", undefined, "shop/web-0"],
    ["kubectl exec -n shop pod/web-0 -- ip a", "ip a", undefined, "shop/web-0"],
    ["kubectl exec web-0 ip a", "ip a", undefined, "pod:web-0"],
    ["kubectl exec -n kube-system kube-proxy-x7k2p -- iptables-save", "iptables-save", undefined, null],
    ["kubectl debug node/w1 -it --image=busybox -- chroot /host ip rule", "ip rule", "w1", null],
    ["docker exec -it web ip a", "ip a", undefined, "container:web"],
    ["docker exec kind-control-plane iptables-save", "iptables-save", "kind-control-plane", null],
    ["crictl exec -i 3f2a ip a", "ip a", undefined, "container:3f2a"],
    ["docker run --rm --net=host netshoot ip a", "ip a", undefined, undefined],
    ["docker run --rm --network container:web netshoot ip a", "ip a", undefined, "container:web"],
    ["ssh root@w2 ip rule", "ip rule", "w2", null],
    ["ssh -i key -p 22 w2 'ip rule'", "ip rule", "w2", null],
    ["ssh w2 sudo nsenter -t 9 -n ip a", "ip a", "w2", "nsenter:9"],
    ["ssh $n ip rule", "ip rule", undefined, null],
    ["ansible all -m shell -a 'ip rule'", "ip rule", undefined, undefined],
    ["minikube ssh -- ip rule", "ip rule", "minikube", null],
    ["vagrant ssh node1 -c 'ip rule'", "ip rule", "node1", null],
  ])("%s", (line, words, node, stack) => {
    const inner = first(line);
    expect(inner.words.join(" ")).toBe(words);
    expect(inner.node).toBe(node);
    expect(inner.stack).toBe(stack);
    expect(inner.shell).toBe(false);
  });
  test.each([
    "ssh w2",
    "kubectl exec -it web-0 -- bash",
    "nsenter -t 42 -n",
    "docker exec -it web sh",
    "ip netns exec blue bash",
  ])("%s opens a shell", (line) => expect(first(line).shell).toBe(true));
});
