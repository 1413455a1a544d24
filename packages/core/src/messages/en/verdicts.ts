export const verdicts = {
  "verdict.reachable": "REACHABLE",
  "verdict.reachable-but": "REACHABLE, but for {share} of the source ports or choices",
  "verdict.unreachable": "UNREACHABLE",
  "verdict.intermittent": "INTERMITTENT",
  "verdict.intermittent-share": "INTERMITTENT, works for {share}",
  "verdict.undetermined": "UNDETERMINED",
  "sees.connected": "the client connects",
  "sees.refused": "the client sees: connection refused",
  "sees.timeout": "the client sees: timed out",
  "sees.unreachable": "the client sees: no route to host, or network unreachable",
  "sees.reset": "the client sees: connection reset",
  "sees.stalled": "the client connects and then receives nothing",
} as const;
