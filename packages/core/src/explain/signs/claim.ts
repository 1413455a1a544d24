import type { Text } from "../../messages/index.ts";
import { isTunnel, type Origin, type Stack } from "../../model/index.ts";
import { type Exploration, legsOf } from "../../trace/index.ts";
import type { Check, ClaimedCause } from "../cause.ts";
import type { CauseCode } from "../code.ts";
import type { Look } from "../sign.ts";

interface Suspect {
  readonly code: CauseCode;
  readonly stack: string;
  readonly summary: Text;
  readonly evidence: readonly Origin[];
  readonly certainty?: "inferred" | "possible";
  readonly direction?: "request" | "reply";
  /** Where it happens, in place of a step of a walk. */
  readonly step: string;
  readonly check?: Check;
  /** It comes before what else is as certain: that is what it leads to. */
  readonly root?: true;
}

export const suspect = ({ certainty = "possible", direction = "request", ...input }: Suspect): ClaimedCause => ({
  certainty,
  direction,
  drop: null,
  ...input,
});

/** The stacks that dumps were given of. */
export const shownStacks = ({ world }: Look): readonly Stack[] => world.stacks.filter((s) => s.assumed === undefined);

/** Was the asked flow seen to fail, by a capture or by a client? */
export const observedToFail = ({ testimonies }: Look): boolean => testimonies.some((t) => t.kind !== "success");

/** Whether the flow goes to another machine, as far as the walk knows. */
export const leavesNode = ({ exploration, world }: Look): boolean =>
  exploration.branches.some(
    ({ request }) =>
      request.disposition === "undetermined" ||
      request.steps.some(
        (s) =>
          s.kind === "link" ||
          s.kind === "tunnel" ||
          (s.kind === "transmit" && throughTunnel(world, s.stack, s.device)),
      ),
  );

const throughTunnel = (world: Look["world"], stack: string, name: string): boolean => {
  const device = world.stacks.find((s) => s.name === stack)?.devices.items.find((d) => d.name === name);
  return device !== undefined && isTunnel(device);
};

/** Whether the walk itself fails, in some branch. */
export const fails = ({ exploration }: Look): boolean =>
  exploration.branches.some((b) => b.clientSees !== null && b.clientSees !== "connected");

/** Whether the walk brings the packet there and back, in some branch: what an object says may be of another moment. */
export const delivers = ({ exploration }: Look): boolean =>
  exploration.branches.some((b) => b.clientSees === "connected");

/** Whether any branch of the walk gets to a stack. */
export const crosses = ({ branches }: Exploration, stack: string): boolean =>
  branches.some((b) => legsOf(b).some((leg) => leg.steps.some((s) => s.stack === stack)));
