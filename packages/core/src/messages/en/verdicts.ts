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
  "families.one": "{family} {verdict}",
  "families.reachable": "works",
  "families.unreachable": "fails",
  "families.intermittent": "fails at times",
  "families.undetermined": "is undetermined",
  "families.both": "{one}, {other}.",
  "families.late":
    "{one}, {other}: clients connect late. A resolver names {family} first (RFC 6724); with happy eyeballs (curl, browsers) a client moves on after about 0.25 s, one that tries addresses in turn only when its attempt has failed, and one that asks for {family} alone never.",
  "families.moves-on":
    "{one}, {other}: a resolver names {family} first (RFC 6724); the attempt fails at once, so clients that try the next address connect, and those that ask for {family} alone do not.",
  "families.second-fails":
    "{one}, {other}: a resolver names the family that works first (RFC 6724), so most clients connect; those that ask for {family} alone do not.",
} as const;
