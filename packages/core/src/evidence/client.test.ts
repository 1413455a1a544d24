import { factsOf } from "@hairpin/testing/observed.ts";
import { describe, expect, test } from "vitest";
import { hostText } from "../model/index.ts";

const symptoms = (text: string) => factsOf("x.txt", text, "symptoms").flatMap((f) => f.symptoms);

describe("what a client saw", () => {
  test.each([
    [
      "$ curl http://10.0.0.1:8080/x\ncurl: (7) Failed to connect to 10.0.0.1 port 8080: Connection refused\n",
      "10.0.0.1",
      8080,
      "refused",
    ],
    ["$ curl 10.0.0.1\ncurl: (7) Failed connect to 10.0.0.1:80; Connection timed out\n", "10.0.0.1", 80, "timeout"],
    [
      "$ curl -m 3 https://10.0.0.1\ncurl: (28) Connection timed out after 3001 milliseconds\n",
      "10.0.0.1",
      443,
      "timeout",
    ],
    [
      "$ curl 10.0.0.1:80\ncurl: (7) Failed to connect to 10.0.0.1 port 80: No route to host\n",
      "10.0.0.1",
      80,
      "unreachable",
    ],
    ["$ curl 10.0.0.1:80\ncurl: (56) Recv failure: Connection reset by peer\n", "10.0.0.1", 80, "reset"],
    ["$ curl 10.0.0.1:80\ncurl: (52) Empty reply from server\n", "10.0.0.1", 80, "reset"],
    ["$ curl -I 10.0.0.1:80\nHTTP/1.1 200 OK\n", "10.0.0.1", 80, "ok"],
    ["$ curl 10.0.0.1:80\n^C\n", "10.0.0.1", 80, "waiting"],
    [
      "$ curl -v 10.0.0.1:80\n*   Trying 10.0.0.1:80...\n* Connected to 10.0.0.1 (10.0.0.1) port 80 (#0)\n* Operation timed out after 5000 milliseconds with 0 bytes received\n",
      "10.0.0.1",
      80,
      "stalled",
    ],
    [
      "$ telnet 10.0.0.1 5432\nTrying 10.0.0.1...\nConnected to 10.0.0.1.\nEscape character is '^]'.\n",
      "10.0.0.1",
      5432,
      "ok",
    ],
    [
      "$ telnet 10.0.0.1 5432\nTrying 10.0.0.1...\ntelnet: connect to address 10.0.0.1: Connection refused\n",
      "10.0.0.1",
      5432,
      "refused",
    ],
    ["$ telnet 10.0.0.1 5432\nTrying 10.0.0.1...\n^C\n", "10.0.0.1", 5432, "waiting"],
    [
      "$ nc -zv 10.0.0.1 80\nnc: connect to 10.0.0.1 port 80 (tcp) failed: Connection refused\n",
      "10.0.0.1",
      80,
      "refused",
    ],
    ["$ nc -zv 10.0.0.1 80\nConnection to 10.0.0.1 80 port [tcp/http] succeeded!\n", "10.0.0.1", 80, "ok"],
    ["$ nc -zvw 3 10.0.0.1 80\nNcat: Connection timed out.\n", "10.0.0.1", 80, "timeout"],
    [
      "$ wget -O- http://10.0.0.1:81/\nConnecting to 10.0.0.1:81... failed: Connection refused.\n",
      "10.0.0.1",
      81,
      "refused",
    ],
    [
      "$ wget -qO- 10.0.0.1:81\nwget: can't connect to remote host (10.0.0.1): Connection refused\n",
      "10.0.0.1",
      81,
      "refused",
    ],
    ["$ dig @10.0.0.10 web\n;; connection timed out; no servers could be reached\n", "10.0.0.10", 53, "timeout"],
    ["$ nslookup web 10.0.0.10\n;; connection timed out; no servers could be reached\n", "10.0.0.10", 53, "timeout"],
  ])("%s", (text, target, port, result) => {
    const [s] = symptoms(text);
    const shown = s?.target === undefined ? undefined : hostText(s.target);
    expect([shown, s?.port, s?.result]).toEqual([target, port, result]);
  });

  test("what it was bound to, and how long it took", () => {
    const [s] = symptoms(
      "$ time curl --interface eth1 http://10.0.0.1\nHTTP/1.1 200 OK\n\nreal\t1m3.091s\nuser\t0m0.002s\nsys\t0m0.007s\n",
    );
    expect([s?.bind, s?.took, s?.result]).toEqual(["eth1", 63.091, "ok"]);
  });

  test("ping: who answers, by which name, TTL and time", () => {
    const [s] = symptoms(`$ ping web.example.com
PING web.example.com (10.0.0.1) 56(84) bytes of data.
64 bytes from lb.kube-system.svc (10.0.0.1): icmp_seq=1 ttl=64 time=0.045 ms
64 bytes from lb.kube-system.svc (10.0.0.1): icmp_seq=2 ttl=64 time=0.035 ms
--- web.example.com ping statistics ---
2 packets transmitted, 2 received, 0% packet loss, time 1001ms
`);
    expect(s).toMatchObject({
      tool: "ping",
      name: "web.example.com",
      answeredName: "lb.kube-system.svc",
      ttl: 64,
      rtt: 0.035,
      sent: 2,
      received: 2,
      result: "ok",
    });
  });
  test("ping without answer, and with an error", () => {
    expect(
      symptoms(
        "$ ping 10.0.0.1\nPING 10.0.0.1 (10.0.0.1) 56(84) bytes of data.\n\n--- 10.0.0.1 ping statistics ---\n3 packets transmitted, 0 received, 100% packet loss, time 2001ms\n",
      )[0]?.result,
    ).toBe("timeout");
    const [s] = symptoms(
      "$ ping 10.0.0.1\nPING 10.0.0.1 (10.0.0.1) 56(84) bytes of data.\nFrom 10.0.0.9 icmp_seq=1 Destination Host Unreachable\n",
    );
    expect([s?.result, s?.answeredBy]).toEqual(["unreachable", 0x0a000009]);
  });
});
