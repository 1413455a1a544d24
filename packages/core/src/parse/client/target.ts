import { isHostName, type ObservedHost } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { isIpv4, PROTO, parseAddress, servicePort } from "../../net/index.ts";

/** What a client was told to reach. */
export interface Target {
  readonly tool: string;
  readonly host?: ObservedHost;
  readonly port?: number;
  readonly protocol?: number;
  readonly bind?: string;
  /** Seconds after which the tool gives up by itself. */
  readonly patience?: number;
}

const VALUED: Readonly<Record<string, ReadonlySet<string>>> = lookup({
  curl: new Set(
    "-o -H -X -d -m -u -A -e -b -c -T -F -x -w -K -r -U -E --output --header --request --data --max-time --connect-timeout --interface --resolve --cacert --cert --key --user --user-agent --retry --retry-delay --write-out --local-port --proxy --data-raw --dns-servers --max-filesize --limit-rate".split(
      " ",
    ),
  ),
  wget: new Set(
    "-O -o -T -t -U -P --timeout --tries --output-document --header --bind-address --connect-timeout".split(" "),
  ),
  telnet: new Set("-b -e -l -n -S -X".split(" ")),
  nc: new Set("-w -s -p -i -x -X -T -q -g -G -I -O -P -V -M -m".split(" ")),
  ping: new Set("-c -i -I -s -t -W -w -p -Q -m -l -T -S -M".split(" ")),
  dig: new Set("-b -f -k -p -q -t -x -c -y".split(" ")),
  nslookup: new Set([]),
  traceroute: new Set("-f -g -i -m -N -p -q -s -w -z --port -t".split(" ")),
});

const ALIAS: Readonly<Record<string, string>> = lookup({
  ncat: "nc",
  netcat: "nc",
  ping6: "ping",
  arping: "ping",
  tracepath: "traceroute",
  host: "nslookup",
});

const URL_LIKE =
  /^(?:([a-z][a-z0-9+.-]{1,10}):\/\/)?(?:[^@/\s]{1,60}@)?(\[[0-9a-fA-F:.%]{2,60}\]|[^/:\s[\]?#]{1,200})(?::(\d{1,5}))?(?:[/?#].{0,2000})?$/;

export function hostOf(text: string): ObservedHost {
  const bare = text.replace(/^\[|\]$/g, "");
  return parseAddress(bare) ?? { name: bare };
}

/** `http://10.0.0.1:8080/x`, `10.0.0.1:80`, `[::1]:443`. */
export function urlTarget(text: string): { readonly host: ObservedHost; readonly port: number } | undefined {
  const m = URL_LIKE.exec(text);
  if (m === null) return undefined;
  const scheme = m[1] ?? "http";
  return { host: hostOf(m[2]!), port: m[3] === undefined ? (servicePort(scheme) ?? 80) : Number(m[3]) };
}

const portOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : /^\d{1,5}$/.test(text) ? Number(text) : servicePort(text);

/** What the echoed command says: `curl --interface eth1 http://…`, `telnet HOST PORT`, `nc -zv HOST PORT`, `ping HOST`. */
export function targetOf(words: readonly string[] | undefined): Target | undefined {
  if (words === undefined || words.length === 0) return undefined;
  const tool = words[0]!.slice(words[0]!.lastIndexOf("/") + 1);
  const kind = ALIAS[tool] ?? tool;
  const valued = VALUED[kind];
  const plain: string[] = [];
  const options = new Map<string, string>();
  for (let i = 1; i < words.length; i++) {
    const word = words[i]!;
    const eq = word.startsWith("--") ? word.indexOf("=") : -1;
    if (eq > 0) options.set(word.slice(0, eq), word.slice(eq + 1));
    else if (word.startsWith("-") && word.length > 1) {
      const takes =
        valued?.has(word) === true || (/^-[a-zA-Z]{2,}$/.test(word) && valued?.has(`-${word.slice(-1)}`) === true);
      options.set(word, takes ? (words[++i] ?? "") : "");
    } else plain.push(word);
  }
  const option = (...names: readonly string[]): string | undefined =>
    names.map((n) => options.get(n)).find((v) => v !== undefined && v !== "");
  const letters = [...options.keys()].filter((o) => /^-[a-zA-Z0-9]+$/.test(o)).join("");
  const bind = option("--interface", "--bind-address", "-I", "-b", "-s");
  const patience = Number(option("-m", "--max-time", "--connect-timeout", "-w", "-W", "--timeout", "-T"));
  const common = {
    tool,
    ...(bind === undefined ||
    (kind !== "curl" && kind !== "wget" && kind !== "ping" && kind !== "nc" && kind !== "telnet")
      ? {}
      : { bind }),
    ...(Number.isFinite(patience) ? { patience } : {}),
  };
  const put = (host: ObservedHost | undefined, port: number | undefined, protocol: number): Target => ({
    ...common,
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    protocol,
  });
  if (kind === "curl" || kind === "wget") {
    const url = plain.map(urlTarget).find((t) => t !== undefined);
    return put(url?.host, url?.port, PROTO.tcp);
  }
  if (kind === "telnet" || kind === "nc") {
    const host = plain[0] === undefined ? undefined : hostOf(plain[0]);
    return put(
      host,
      portOf(plain[1]) ?? (kind === "telnet" ? 23 : undefined),
      letters.includes("u") ? PROTO.udp : PROTO.tcp,
    );
  }
  if (kind === "ping" || kind === "traceroute") {
    const host = plain[0] === undefined ? undefined : hostOf(plain[0]);
    return put(host, undefined, host !== undefined && !isHostName(host) && !isIpv4(host) ? PROTO.icmp6 : PROTO.icmp);
  }
  if (kind === "dig" || kind === "nslookup") {
    const server = plain.find((w) => w.startsWith("@"))?.slice(1) ?? (kind === "nslookup" ? plain[1] : undefined);
    return put(server === undefined ? undefined : hostOf(server), 53, PROTO.udp);
  }
  return common;
}
