import type { Claim } from "../dialect.ts";

const HEAD = 400;

/** `route -n`, `netstat -rn`: title, column line, rows. */
export function claimRouteN(line: string): Claim {
  const head = line.slice(0, HEAD);
  if (/^Kernel (IP|IPv6) routing table\s*$/.test(head)) return "head";
  if (/^Destination\s+(Gateway\s+Genmask|Next Hop)\s+Flags?\s/.test(head)) return "head";
  if (
    /^\S{1,80}\s+\S{1,80}\s+(\d{1,3}\.){3}\d{1,3}\s+!?[UGHRDMACB]{0,9}!?\s+(-|\d{1,10})\s+(-|\d{1,10})\s+(-|\d{1,10})(\s+\S{1,32})?\s*$/.test(
      head,
    )
  )
    return "line";
  return /^\S{1,45}\/\d{1,3}\s+\S{1,45}\s+!?[UGHRDMACBan]{1,9}\s+\d{1,10}\s+\d{1,10}\s+\d{1,10}(\s+\S{1,32})?\s*$/.test(
    head,
  )
    ? "line"
    : "no";
}

const NEW_HEADER = /^\S{1,32}: flags=[0-9a-f]{1,8}<[A-Za-z0-9_,-]{0,200}> {2}mtu \d/;
const OLD_HEADER = /^\S{1,32}\s+Link encap:\S/;
const BODY =
  /^\s+(inet addr:|inet6 addr: |inet \d[\d.]{6,14} {2}netmask |inet6 [0-9a-f:.]{2,45} {2}prefixlen |ether [0-9a-f:]{17} {2}txqueuelen |ether [0-9a-f:]{17}( {2}\(|\s*$)|unspec [0-9A-Fa-f-]{2,60} |loop {2}(txqueuelen|\()|tunnel {2}txqueuelen|sit {2}txqueuelen|infiniband |device (interrupt|memory) |(RX|TX) (packets|errors|bytes)[: ]|collisions:\d|Interrupt:|[A-Z]+( [A-Z]+){0,9}\s+MTU:\d)/;

export function claimIfconfig(line: string): Claim {
  const head = line.slice(0, HEAD);
  if (NEW_HEADER.test(head) || OLD_HEADER.test(head)) return "head";
  return BODY.test(head) ? "line" : "no";
}

/** `arp -n` and /proc/net/arp: their heads differ, their rows do not mix. */
export function claimArpN(line: string): Claim {
  const head = line.slice(0, HEAD);
  if (/^Address\s+HWtype\s+HWaddress\s+Flags Mask\s+Iface/.test(head)) return "head";
  if (
    /^\S{1,80}\s+(ether|infiniband|loop)\s+[0-9a-fA-F:]{17,60}\s+[CMP!*]{1,5}\s+(\S{1,32}\s+)?\S{1,32}\s*$/.test(head)
  )
    return "line";
  return /^\S{1,80}\s+\(incomplete\)\s+\S{1,32}\s*$/.test(head) ? "line" : "no";
}

/** `gateway (10.0.0.1) at 02:00:00:00:00:01 [ether] on eth0`. */
export const claimArpA = (line: string): Claim =>
  /^\S{1,256} \([0-9.]{7,15}\) at (<?\(?incomplete\)?>?|[0-9a-fA-F:]{17}) .{0,60}on \S{1,32}\s*$/.test(
    line.slice(0, HEAD),
  )
    ? "line"
    : "no";

export function claimProcRoute(line: string): Claim {
  const head = line.slice(0, HEAD);
  if (/^Iface\s+Destination\s+Gateway\s+Flags\s+RefCnt\s+Use\s+Metric\s+Mask/.test(head)) return "head";
  return /^\S{1,32}\s+[0-9A-F]{8}\s+[0-9A-F]{8}\s+[0-9A-F]{4}\s+\d+\s+\d+\s+\d+\s+[0-9A-F]{8}\s+\d+\s+\d+\s+\d+\s*$/.test(
    head,
  )
    ? "line"
    : "no";
}

export function claimProcArp(line: string): Claim {
  const head = line.slice(0, HEAD);
  if (/^IP address\s+HW type\s+Flags\s+HW address\s+Mask\s+Device/.test(head)) return "head";
  return /^[0-9.]{7,15}\s+0x[0-9a-f]{1,4}\s+0x[0-9a-f]{1,4}\s+[0-9a-fA-F:]{17}\s+\S{1,20}\s+\S{1,32}\s*$/.test(head)
    ? "line"
    : "no";
}
