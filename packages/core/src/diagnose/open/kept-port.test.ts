import { type Files, filter, NODE, nat, POD } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";
import { readCase } from "../../parse/index.ts";
import { Askable } from "../askable.ts";
import { diagnose } from "../diagnose.ts";

const RULES = nat().replaceAll("-p tcp", "-p udp").replaceAll("-m tcp", "-m udp") + filter();
const NODE_UDP: Files = { ...NODE, "nodes/a/iptables-save.txt": RULES };
const QUESTION = { from: POD, to: "10.96.0.20:80", proto: "udp" };

const sent = (second: number, port = 48317, src = POD) =>
  `09:15:0${second}.680113 IP ${src}.${port} > 10.96.0.20.80: UDP, length 17\n`;
const answered = "09:15:01.690113 IP 10.96.0.20.80 > 10.244.1.5.48317: UDP, length 17\n";
const captured = (lines: string): Files => ({ "nodes/a/tcpdump.cni0.txt": lines });

/** What the answer rests on that nobody showed of connections: by which port they would be. */
const doubts = (files: Files, question: object = QUESTION): readonly number[] => {
  const inputs = Object.entries({ ...NODE_UDP, ...files }).map(([path, text]) => ({ path, text }));
  const askable = new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
  return diagnose(askable, question).restsOn.flatMap(({ ground }) =>
    ground.kind === "connections" ? [ground.port] : [],
  );
};

describe("a client that was captured to keep its source port", () => {
  test("may go on by an entry of before, and nobody showed that there is none", () => {
    expect(doubts(captured(sent(1) + sent(4)))).toEqual([48_317]);
  });
  test("no entry is asked for where nothing says that the port is kept", () => {
    expect(doubts({})).toEqual([]);
    expect(doubts(captured(sent(1)))).toEqual([]);
    expect(doubts(captured(sent(1, 40_001) + sent(4, 40_002)))).toEqual([]);
    expect(doubts(captured(sent(1) + sent(1)))).toEqual([]);
  });
  test("nor where it was answered, was another's, goes elsewhere, or the connections are shown", () => {
    expect(doubts(captured(sent(1) + answered + sent(4)))).toEqual([]);
    expect(doubts(captured(sent(1, 48_317, "10.244.1.9") + sent(4, 48_317, "10.244.1.9")))).toEqual([]);
    expect(doubts(captured((sent(1) + sent(4)).replaceAll("10.96.0.20", "10.96.0.21")))).toEqual([]);
    const other =
      "udp      17 118 src=10.244.1.9 dst=10.96.0.30 sport=5060 dport=5060 src=10.244.2.40 dst=10.244.1.9 sport=5060 dport=5060\n";
    expect(doubts({ ...captured(sent(1) + sent(4)), "nodes/a/conntrack-L.txt": other })).toEqual([]);
  });
  test("who says the port is asked by that one", () => {
    expect(doubts(captured(sent(1) + sent(4)), { ...QUESTION, sport: 40_000 })).toEqual([40_000]);
  });
});
