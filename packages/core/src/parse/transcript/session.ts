import type { ContextSource } from "../dialect.ts";
import type { Prompt } from "./prompt.ts";
import type { Unwrapped } from "./wrapper.ts";

/** Where a line was typed or printed. */
export interface ShellContext {
  /** The machine: as the prompt names it, or as it was called by ssh. */
  readonly host?: string;
  /** Where the host's name was learnt, if not from a prompt. */
  readonly by?: ContextSource;
  readonly stack?: string;
  /** A pod somewhere: the prompt's machine is not the one it runs on. */
  readonly anywhere?: boolean;
}

/** What a machine is called that the text only calls another one. */
export const UNNAMED_MACHINE = "another machine";

interface Frame extends ShellContext {
  /** Undefined until the shell that was just opened shows its prompt. */
  signature: string | undefined;
}

/** Follows which shell is open: `kubectl exec -it … sh`, `ssh`, `nsenter … bash` open one inside the other. */
export class Session {
  #frames: Frame[] = [];

  /** A new block of text need not go on where the last one ended. */
  reset(): void {
    this.#frames = [];
  }

  /** A prompt was seen: which shell is it? */
  at(prompt: Prompt): ShellContext {
    const depth = this.#frames.map((f) => f.signature).lastIndexOf(prompt.signature);
    const top = this.#frames[this.#frames.length - 1];
    if (depth >= 0) this.#frames.length = depth + 1;
    else if (
      top !== undefined &&
      top.signature === undefined &&
      (prompt.host === undefined || top.host !== UNNAMED_MACHINE)
    ) {
      top.signature = prompt.signature;
    } else if (prompt.host !== undefined || top === undefined) this.#frames = [placeOf(prompt)];
    // A prompt without a host, in the middle of a session: the same machine.
    else this.#frames = [{ ...top, ...inContainer(prompt), signature: prompt.signature }];
    return this.here;
  }

  get here(): ShellContext {
    const top = this.#frames[this.#frames.length - 1];
    if (top === undefined) return {};
    const { signature: _, ...place } = top;
    return place;
  }

  /** A command that leaves a shell open. */
  open(command: Unwrapped): void {
    const here = this.here;
    const top = this.#frames[this.#frames.length - 1];
    // nsenter and ip netns exec start a shell with the same prompt; only `exit` leaves it.
    const samePrompt = command.node === undefined && /^(?:nsenter|netns):/.test(command.stack ?? "");
    this.#frames.push({ ...within(here, command), signature: samePrompt ? top?.signature : undefined });
    if (this.#frames.length > 64) this.#frames.shift();
  }

  /** The author says that another machine follows; it has no name until a prompt shows one. */
  elsewhere(): void {
    this.#frames = [{ host: UNNAMED_MACHINE, by: "content", signature: undefined }];
  }

  close(): void {
    if (this.#frames.length > 1) this.#frames.pop();
  }
}

const inContainer = (prompt: Prompt): ShellContext =>
  prompt.container ? { stack: prompt.host === undefined ? "container" : `container:${prompt.host}` } : {};

const placeOf = (prompt: Prompt): Frame => ({
  ...(prompt.host === undefined || prompt.container ? {} : { host: prompt.host }),
  ...inContainer(prompt),
  ...(prompt.container && prompt.host !== undefined ? { anywhere: true } : {}),
  signature: prompt.signature,
});

/** Where a wrapped command runs, seen from where it was typed. */
export function within(here: ShellContext, command: Unwrapped): ShellContext {
  if (command.node !== undefined) {
    return {
      host: command.node,
      by: "command",
      ...(typeof command.stack === "string" ? { stack: command.stack } : {}),
    };
  }
  const { stack: outer, host, ...rest } = here;
  const stack = command.stack === undefined ? outer : (command.stack ?? undefined);
  return {
    ...(command.anywhere ? { anywhere: true } : rest),
    ...(host === undefined || command.anywhere ? {} : { host }),
    ...(stack === undefined ? {} : { stack }),
  };
}
