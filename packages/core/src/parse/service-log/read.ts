import type { ObservedServiceLine } from "../../model/index.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { placeOf } from "../place.ts";
import { originAt, type Source } from "../source.ts";
import { eventOf } from "./events.ts";
import { logLine } from "./line.ts";

/** Warnings and worse that are kept of one log; what says something of the datapath always is. */
const MAX_LINES = 20_000;

/** Logs of kube-proxy, kubelet and others: what they complain of, and what they say of the datapath. */
export function readServiceLog(source: Source, context: DumpContext): Reading {
  const place = placeOf(source, context);
  const service = serviceOf(context);
  const lines: ObservedServiceLine[] = [];
  let complaints = 0;
  let left = 0;
  let other = 0;
  source.lines.forEach((full, index) => {
    if (full.trim() === "") return;
    const { severity, time, unit, message } = logLine(full.length > 8000 ? full.slice(0, 8000) : full);
    const event = eventOf(message);
    const bad = severity === "warning" || severity === "error" || severity === "fatal";
    if (!bad && event === undefined) {
      other++;
      return;
    }
    if (event === undefined && ++complaints > MAX_LINES) {
      left++;
      return;
    }
    const name = unit ?? service;
    lines.push({
      place,
      ...(name === undefined ? {} : { service: name }),
      ...(severity === undefined ? {} : { severity }),
      ...(time === undefined ? {} : { time }),
      ...(event === undefined ? {} : { event }),
      text: message.slice(0, 600).trim(),
      origin: originAt(source, index),
    });
  });
  return {
    facts: [{ kind: "service-log", lines }],
    diagnostics: [],
    counts: {
      "log lines": lines.length,
      ...(left === 0 ? {} : { "lines left out": left }),
      ...(other === 0 ? {} : { "other lines": other }),
    },
  };
}

/** By the command that printed it: `journalctl -u kubelet`, `kubectl -n kube-system logs kube-proxy-x1y2z`. */
function serviceOf({ command = [] }: DumpContext): string | undefined {
  const unit = command.findIndex((w) => w === "-u" || w === "--unit");
  const named = unit >= 0 ? command[unit + 1] : command.slice(command.indexOf("logs") + 1).find(isName);
  return command.length === 0 ? undefined : named?.replace(/\.service$/, "").slice(0, 80);
}

const isName = (word: string): boolean => /^(?:kube|flannel|calico|cilium)\S*$/.test(word) && word !== "kube-system";
