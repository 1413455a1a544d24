import type { AttachedProgram } from "../../model/index.ts";
import type { Reading } from "../dialect.ts";
import { originAt, type Source } from "../source.ts";
import { programsReading } from "./reading.ts";

/** `25  cgroup_inet4_connect multi  cil_sock4_connect`; older tools: `25  connect4  multi  sock4_connect`. */
const ROW = /^\s*\d+\s+(?:cgroup_(inet[46]_(?:connect|sendmsg)|udp[46]_sendmsg)|(connect[46]|sendmsg[46]))\s+(.*)$/;
const ANY_ROW = /^\s*\d+\s+(?:cgroup_\w+|connect[46]|sendmsg[46]|recvmsg[46]|post_bind[46]|bind[46]|getpeername[46])\s/;

export const claimBpftoolCgroup = (line: string): "head" | "line" | "no" => {
  if (/^(?:CgroupPath|ID\s+AttachType\s+AttachFlags\s+Name)\s*$/.test(line)) return "head";
  return ANY_ROW.test(line.slice(0, 300)) ? "line" : "no";
};

/** `bpftool cgroup tree`: programs that sockets pass when they connect or send. Those on single services decide nothing here. */
export function readBpftoolCgroup(source: Source): Reading {
  const programs: AttachedProgram[] = [];
  for (const [index, line] of source.lines.entries()) {
    const [, , , rest] = ROW.exec(line.slice(0, 300)) ?? [];
    if (rest === undefined) continue;
    const name = rest.trim().split(/\s+/).at(-1) ?? "";
    programs.push({ hook: "socket", name, origin: originAt(source, index) });
  }
  return programsReading(programs, "partial");
}
