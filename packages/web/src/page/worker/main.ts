import { Askable, BadRequest } from "@hairpin/core/diagnose/index.ts";
import { type Text, ToldError } from "@hairpin/core/messages/index.ts";
import type { Assets } from "../../report/report.ts";
import { givenOf } from "../input-files.ts";
import type { Call, Reply } from "../protocol.ts";
import { comparePart } from "./compare.ts";
import { loadedFrom, Session } from "./session.ts";
import { readState } from "./state.ts";

declare const HAIRPIN_REPORT_ASSETS: Assets;

const session = new Session();

async function answer(call: Call): Promise<unknown> {
  switch (call.name) {
    case "load":
      return session.load(call.args.given);
    case "state":
      return readState(call.args.json) ?? null;
    case "complete":
      return session.complete(call.args.text, call.args.field);
    case "ask":
      return session.ask(call.args.query, call.args.lang);
    case "report":
      return session.report(call.args.query, call.args.lang, HAIRPIN_REPORT_ASSETS);
    case "save":
      return session.save(call.args.query);
    case "sweep":
      return session.sweep(call.args.assume, call.args.lang, call.args.step);
    case "compare": {
      const { files, query, lang } = call.args;
      const { loaded } = await loadedFrom(givenOf(files));
      return comparePart(session.asking(query.assume), new Askable(loaded, query.assume), lang).text;
    }
  }
}

const problemOf = (error: unknown): readonly (string | Text)[] => {
  if (error instanceof ToldError) return error.lines;
  return [
    `internal error, please report it: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  ];
};

// One call at a time, in order: a question that comes while files are read is about those files.
let turn: Promise<void> = Promise.resolve();
addEventListener("message", (event: MessageEvent<Call>) => {
  turn = turn.then(async () => {
    const { id } = event.data;
    let reply: Reply;
    try {
      reply = { id, back: await answer(event.data) };
    } catch (error) {
      reply = { id, problem: problemOf(error), option: error instanceof BadRequest ? error.option : undefined };
    }
    postMessage(reply);
  });
});
