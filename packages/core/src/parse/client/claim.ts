import type { Claim } from "../dialect.ts";
import { isTool } from "../not-read-yet/not-read-yet.ts";

const CURL =
  /^\s*(?:curl: \(\d+\) |\* {1,3}(?:Trying|Connected to|Rebuilt URL|About to connect|connect to|Connection (?:#\d+|refused|timed out|reset)|Failed to connect|Immediate connect fail|Host |TCP_NODELAY|Closing connection|Could not|Empty reply|Recv failure|Operation timed out|SSL |ALPN|TLS|Mark bundle|After \d+ms|no chunk|upload completely|Request completely|processing: |\s*Server certificate)|> (?:GET|POST|HEAD|PUT|DELETE|OPTIONS|PATCH) \S+ HTTP|> (?:Host|User-Agent|Accept): |< HTTP\/|HTTP\/[\d.]{1,3} \d{3}|\s*% Total\s+% Received|\s*Dload\s+Upload)/;
const WGET =
  /^(?:--\d{4}-\d\d-\d\d [\d:]{8}--\s|wget: |Connecting to \S+(?: \(\S+\))?(?:\|\S+\|:\d+)?\.\.\.|Resolving \S+ \(?\S*\)?\.\.\.|HTTP request sent, awaiting|Saving to: )/;
const TELNET =
  /^(?:Trying \S+\.\.\.|Connected to \S+\.?\s*$|Escape character is|telnet: |Connection closed by foreign host|Connection to \S+ \S+ port \[|nc: |Ncat: |\S+ \[\S+\] \d+ \(\S*\) (?:open|:)|\(UNKNOWN\) \[)/;
const PING =
  /^(?:PING \S+ ?(?:\(|[0-9a-fA-F:.]{2,45})|\d+ bytes from \S+|From \S+ icmp_seq[= ]\d|no answer yet for icmp_seq|--- \S+ (?:ping )?statistics ---|\d+ packets transmitted, |(?:rtt|round-trip) min\/avg|Do you want to ping broadcast|ping: |connect: (?:Network|No route|Invalid)|ARPING \S+ from|Unicast reply from|Sent \d+ probes|Received \d+ response)/;
const DNS =
  /^(?:; <<>> DiG |;; (?:ANSWER|QUESTION|AUTHORITY|ADDITIONAL|Query time|SERVER|WHEN|MSG SIZE|connection timed out|global options|Got answer|flags|OPT PSEUDOSECTION|communications error|->>HEADER)|;\S+\.\s+IN\s+|\S+\.\s+\d+\s+IN\s+(?:A|AAAA|CNAME|SRV|PTR|NS|SOA|MX|TXT)\s|Server:\s+\S|Address(?: \d+)?:\s+\d[\d.#:]+|Name:\s+\S+\.\S+\s*$|Non-authoritative answer|\*\* server can't find|\S+ has (?:IPv6 )?address |nslookup: )/;
const TRACE =
  /^(?:traceroute to \S+ \(|tracepath |\s?\d{1,2}\??:?\s+(?:\S+\s+\(\S+\)(?:\s+[\d.]+ ms){1,3}|\* \* \*|no reply)|\s+Resume: pmtu)/;
const TIME = /^(?:real|user|sys)\s+\d+m[\d.]+s\s*$/;
const PERFORMANCE =
  /^(?:\[\s?\d+\]\s+(?:local|\d+\.\d+-)|\[ ?ID\] Interval|Connecting to host \S+, port|iperf3?: |This is ApacheBench|Requests per second:|Server listening on)/;

/** A claim must not cost more than a glance, however long the line. */
const GLANCE = 2000;

export function claim(full: string): Claim {
  const line = full.slice(0, GLANCE);
  if (CURL.test(line) || WGET.test(line) || TELNET.test(line) || PING.test(line) || DNS.test(line)) return "line";
  if (TRACE.test(line) || TIME.test(line) || PERFORMANCE.test(line)) return "line";
  // The body a server sent can be anything; it only counts below the command.
  return "maybe";
}

export const printsClient = isTool(
  "curl",
  "wget",
  "telnet",
  "nc",
  "ncat",
  "netcat",
  "ping",
  "ping6",
  "arping",
  "hping3",
  "dig",
  "nslookup",
  "host",
  "getent",
  "traceroute",
  "tracepath",
  "mtr",
  "nmap",
  "iperf",
  "iperf3",
  "ab",
  "wrk",
  "redis-cli",
  "mysql",
  "psql",
  "openssl",
  "tcping",
);
