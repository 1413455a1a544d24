import type { ConnmarkMatch, ConnmarkTarget, MarkMatch, MarkTarget } from "../../../../model/index.ts";
import { given, type MatchExtension, matchExtension, option, targetExtension } from "../../rule/extension.ts";
import { flag, type Masked, masked, maskedAlways, U32, unsignedHex } from "../../values/index.ts";

const match = (kind: "mark" | "connmark"): MatchExtension =>
  matchExtension<{ mark: Masked }, MarkMatch | ConnmarkMatch>({
    name: kind,
    fields: { mark: option("--mark", masked, { negatable: true, required: true }) },
    make: ({ mark }) => ({ kind, value: mark!.value.value, mask: mark!.value.mask, negated: mark!.negated }),
    show: (record) => ({ mark: given({ value: record.value, mask: record.mask }, record.negated) }),
  });

export const mark = match("mark");
export const connmark = match("connmark");

const word = unsignedHex(U32);
/** Every way to change a mark comes down to (mark & ~mask) ^ value, as xt_MARK.c and xt_connmark.c compute it. */
const changes = {
  xmark: option("--set-xmark", maskedAlways),
  set: option("--set-mark", maskedAlways),
  and: option("--and-mark", word),
  or: option("--or-mark", word),
  xor: option("--xor-mark", word),
};
interface Changes {
  xmark: Masked;
  set: Masked;
  and: number;
  or: number;
  xor: number;
}
type NegatableChanges = { readonly [K in keyof Changes]?: { readonly value: Changes[K] } };

function change(all: NegatableChanges): Masked | undefined {
  if (all.xmark) return all.xmark.value;
  if (all.set) return { value: all.set.value.value, mask: (all.set.value.value | all.set.value.mask) >>> 0 };
  if (all.and) return { value: 0, mask: ~all.and.value >>> 0 };
  if (all.or) return { value: all.or.value, mask: all.or.value };
  return all.xor && { value: all.xor.value, mask: 0 };
}

export const MARK = targetExtension<Changes, MarkTarget>({
  name: "MARK",
  fields: changes,
  make: (all) => {
    if (Object.keys(all).length > 1) return "only one change of the mark is possible";
    const done = change(all);
    return done === undefined
      ? "one of --set-xmark, --set-mark, --and-mark, --or-mark, --xor-mark is needed"
      : { kind: "mark", ...done };
  },
  show: ({ value, mask }) => ({ xmark: given({ value, mask }) }),
});

interface ConnmarkOptions extends Changes {
  save: true;
  restore: true;
  nfMask: number;
  ctMask: number;
  mask: number;
}

export const CONNMARK = targetExtension<ConnmarkOptions, ConnmarkTarget>({
  name: "CONNMARK",
  fields: {
    ...changes,
    save: option("--save-mark", flag),
    restore: option("--restore-mark", flag),
    nfMask: option("--nfmask", word),
    ctMask: option("--ctmask", word),
    mask: option("--mask", word),
  },
  make: (all) => {
    const { nfMask, ctMask, mask, save, restore, ...rest } = all;
    const done = change(rest);
    const actions = Object.keys(rest).length + (save ? 1 : 0) + (restore ? 1 : 0);
    if (actions !== 1) return "one of --set-xmark, --save-mark, --restore-mark and the like is needed, and only one";
    if (done !== undefined) {
      return nfMask || ctMask || mask
        ? "masks go with --save-mark and --restore-mark"
        : { kind: "connmark", action: "set", ...done };
    }
    if (mask && (nfMask || ctMask)) return "--mask stands for both --nfmask and --ctmask";
    return {
      kind: "connmark",
      action: save ? "save" : "restore",
      nfMask: mask?.value ?? nfMask?.value ?? U32,
      ctMask: mask?.value ?? ctMask?.value ?? U32,
    };
  },
  show: (target) =>
    target.action === "set"
      ? { xmark: given({ value: target.value, mask: target.mask }) }
      : { [target.action]: given(true), nfMask: given(target.nfMask), ctMask: given(target.ctMask) },
});
