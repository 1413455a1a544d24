import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type AgentQuestion, questionOf } from "./question.ts";

export interface Dumps {
  readonly port: number;
  /** The dump of this node, packed; undefined where it could not be made. */
  readonly dump: (question: AgentQuestion) => Promise<Buffer | undefined>;
}

export interface Served {
  readonly port: number;
  readonly close: () => void;
}

/** Questions about many pods are long. */
const MOST_HEADER = 512 * 1024;
/** One dump at a time, and so many who wait for theirs. */
const MOST_WAITING = 8;

const said = (response: ServerResponse, status: number, text: string): void =>
  void response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text);

type Answers = (path: string, response: ServerResponse) => Promise<void> | void;

/** Answers GET and nothing else. */
function serve(host: string, port: number, answers: Answers): Promise<Served> {
  const server: Server = createServer({ maxHeaderSize: MOST_HEADER, requestTimeout: 10_000, headersTimeout: 10_000 });
  server.maxConnections = 64;
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    if (request.method !== "GET") return said(response, 405, "");
    Promise.resolve(answers(request.url ?? "", response)).catch(() => {
      if (!response.headersSent) said(response, 500, "");
    });
  });
  return new Promise((done, failed) => {
    server.once("error", failed);
    server.listen(port, host, () =>
      done({
        port: (server.address() as AddressInfo).port,
        close: () => {
          server.close();
          server.closeAllConnections();
        },
      }),
    );
  });
}

/**
 * Dumps, at the pod's own 127.0.0.1: no packet from outside the pod gets there, so whoever asks was let in by the API server
 * (`pods/portforward` of this pod) and came by the kubelet.
 */
export function serveDumps({ port, dump }: Dumps): Promise<Served> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return serve("127.0.0.1", port, async (path, response) => {
    const question = questionOf(path);
    if (question === undefined) return said(response, 404, "");
    if (waiting >= MOST_WAITING) return said(response, 503, "busy\n");
    waiting++;
    const turn = last.then(() => dump(question));
    last = turn.catch(() => {});
    try {
      const bundle = await turn;
      if (bundle === undefined) return said(response, 500, "this node could not be read\n");
      response.writeHead(200, { "content-type": "application/gzip", "content-length": bundle.length }).end(bundle);
    } finally {
      waiting--;
    }
  });
}

/** Numbers in Prometheus' form, as they were when it was last looked, and nothing else. */
export const serveMetrics = (host: string, port: number, metrics: () => string): Promise<Served> =>
  serve(host, port, (path, response) => {
    if (path !== "/metrics") return said(response, 404, "");
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(metrics());
  });
