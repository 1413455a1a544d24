import { get } from "node:http";
import type { Kubectl } from "../cluster/kubectl.ts";
import { lastWords } from "../gathered.ts";
import { AGENT_PORT, type AgentQuestion, questionPath } from "./question.ts";

export interface AgentPod {
  readonly namespace: string;
  readonly name: string;
}

/** No node's bundle is larger than this, packed. */
const MOST = 1024 * 1024 * 1024;
const FORWARDING = /^Forwarding from 127\.0\.0\.1:(\d+) /;

/** A node's dump from its agent, by `kubectl port-forward`; or why there is none. */
export async function askAgent(
  kubectl: Kubectl,
  { namespace, name }: AgentPod,
  question: AgentQuestion,
  seconds: number,
): Promise<Buffer | string> {
  let answer: Promise<Buffer | string> | undefined;
  let end = () => {};
  const args = ["port-forward", "--address=127.0.0.1", "-n", namespace, `pod/${name}`, `:${AGENT_PORT}`];
  const { err } = await kubectl(args, {
    seconds,
    started: (kill) => {
      end = kill;
    },
    until: (line) => {
      const [, port] = FORWARDING.exec(line) ?? [];
      if (port === undefined || answer !== undefined) return false;
      answer = asked(Number(port), questionPath(question), seconds).finally(end);
      return false;
    },
  });
  return answer === undefined ? lastWords(err) : await answer;
}

function asked(port: number, path: string, seconds: number): Promise<Buffer | string> {
  return new Promise((done) => {
    const request = get({ host: "127.0.0.1", port, path, agent: false, timeout: seconds * 1000 }, (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      response.on("data", (part: Buffer) => {
        size += part.length;
        if (size > MOST) request.destroy(new Error("too much"));
        else parts.push(part);
      });
      response.on("error", (problem) => done(problem.message));
      response.on("end", () => {
        const whole = Buffer.concat(parts);
        if (!response.complete) done("the connection was lost");
        else
          done(
            response.statusCode === 200 ? whole : `${response.statusCode}: ${whole.toString("utf8", 0, 200).trim()}`,
          );
      });
    });
    request.on("timeout", () => request.destroy(new Error(`no answer within ${seconds} s`)));
    request.on("error", (problem) => done(problem.message));
  });
}
