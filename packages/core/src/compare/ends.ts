import type { Decision, DropReason, Origin } from "../model/index.ts";
import { type Address, formatAddress } from "../net/index.ts";
import { type Branch, type ClientSees, type Disposition, decisiveLeg, type Exploration } from "../trace/index.ts";

/** How a packet can end on one side; branches that end alike are one. */
export interface End {
  readonly share: number;
  readonly clientSees: ClientSees | null;
  readonly disposition: Disposition;
  readonly drop: DropReason | null;
  /** Why nobody knows. */
  readonly why: Decision | null;
  /** Where it was lost, or arrived. */
  readonly stack: string;
  readonly step: string;
  /** Whom the request was meant for in the end. */
  readonly to: { readonly address: Address; readonly port: number | null };
  readonly masqueraded: boolean;
  /** What ended it, where it was lost. */
  readonly origins: readonly Origin[];
  /** Open facts that lead here. */
  readonly hypothesis: Readonly<Record<string, readonly string[]>>;
}

export function endsOf(exploration: Exploration): readonly End[] {
  const out = new Map<string, End>();
  for (const branch of exploration.branches) {
    const end = endOf(branch);
    const key = JSON.stringify([
      end.clientSees,
      end.disposition,
      end.drop,
      end.why,
      end.stack,
      formatAddress(end.to.address),
      end.to.port,
      end.masqueraded,
      end.hypothesis,
    ]);
    const same = out.get(key);
    out.set(key, same === undefined ? end : { ...same, share: same.share + end.share });
  }
  return [...out.values()].sort((x, y) => y.share - x.share);
}

function endOf(branch: Branch): End {
  const leg = decisiveLeg(branch);
  const { final, masqueraded } = branch.request;
  return {
    share: branch.share,
    clientSees: branch.clientSees,
    disposition: leg.disposition,
    drop: leg.drop,
    why: leg.disposition === "undetermined" ? leg.decision : null,
    stack: leg.stack,
    step: leg.step,
    to: { address: final.dst, port: typeof final.dport === "number" && final.icmp === undefined ? final.dport : null },
    masqueraded,
    origins: branch.clientSees === "connected" ? [] : leg.origins,
    hypothesis: Object.fromEntries(branch.hypothesis),
  };
}
