import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Served {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Serves one page on loopback, to this machine's own browser, and nothing else. */
export function serve(page: string, port: number): Promise<Served> {
  const body = Buffer.from(page, "utf8");
  const headers: OutgoingHttpHeaders = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": `${policyOf(page)}; frame-ancestors 'none'`,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  };
  const server = createServer((request, response) => {
    const { port: own } = server.address() as AddressInfo;
    const refused = refusal(request, own);
    if (refused !== undefined) return refuse(response, ...refused);
    response.writeHead(200, { ...headers, "Content-Length": body.length });
    response.end(request.method === "HEAD" ? undefined : body);
  });
  return new Promise((done, fail) => {
    server.once("error", fail);
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      server.off("error", fail);
      const { port: own } = server.address() as AddressInfo;
      done({
        url: `http://127.0.0.1:${own}/`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}

/**
 * Why a request gets no page. A name that somebody pointed at 127.0.0.1 (DNS rebinding) shows in Host; a page of somebody else
 * that asks shows in Origin and Sec-Fetch-Site.
 */
function refusal(request: IncomingMessage, port: number): readonly [number, string] | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, ...(port === 80 ? ["127.0.0.1", "localhost"] : [])];
  const { host, origin } = request.headers;
  if (host === undefined || !hosts.includes(host.toLowerCase())) return [421, "this is not the host you asked for"];
  if (origin !== undefined && !hosts.some((h) => origin.toLowerCase() === `http://${h}`))
    return [403, "not for other sites"];
  const site = request.headers["sec-fetch-site"];
  if (site === "cross-site" || site === "same-site") {
    // A link that somebody followed may lead here; a page that fetches or frames may not.
    if (request.headers["sec-fetch-mode"] !== "navigate" || request.headers["sec-fetch-dest"] !== "document")
      return [403, "not for other sites"];
  }
  if (request.method !== "GET" && request.method !== "HEAD") return [405, "only to be read"];
  return request.url === "/" ? undefined : [404, "there is nothing but the page"];
}

function refuse(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", Connection: "close" });
  response.end(`${why}\n`);
}

/** The page's own policy, said in the header as well. */
const policyOf = (page: string): string =>
  /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)?.[1] ?? "default-src 'none'";
