import type { CtTarget } from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import type { CtDirection } from "./nf-conntrack.ts";

/** struct nf_conntrack_zone. Where it names a direction, tuples of the other one are in zone 0. */
export interface Zone {
  readonly id: number;
  readonly direction?: CtDirection;
}

/** Follows nf_ct_zone_id(). */
export const zoneId = ({ id, direction }: Zone, of: CtDirection): number =>
  direction === undefined || direction === of ? id : 0;

/** A template's zone: its number, or the mark that the packet has when conntrack looks (NF_CT_FLAG_MARK). */
interface Template {
  readonly id: number | "mark";
  readonly direction?: CtDirection;
}

const keyOf = ({ leg }: Skb): string => `zone/${leg}`;

/** Whether a template is attached already: then skb->_nfct is set, and neither another zone nor NOTRACK is heard (xt_ct_target, nft_notrack_eval). */
export const hasTemplate = (kernel: Kernel, skb: Skb): boolean => kernel.scratch.has(keyOf(skb));

export function chooseZone(kernel: Kernel, skb: Skb, template: Template): void {
  kernel.scratch.set(keyOf(skb), template);
}

/** Follows nf_ct_zone_tmpl(); the template serves one look-up (nf_conntrack_in puts it back), so what comes by `lo` has lost it. */
export function takeZone(kernel: Kernel, skb: Skb): Zone {
  const template = kernel.scratch.get(keyOf(skb)) as Template | undefined;
  kernel.scratch.delete(keyOf(skb));
  if (template === undefined) return { id: 0 };
  return { ...template, id: template.id === "mark" ? skb.mark & 0xffff : template.id };
}

/** The zone that a CT target asks for (xt_ct_tg_check). */
export function zoneOfTarget({ zone, options }: CtTarget): Template | undefined {
  const idOf = (text: string): number | "mark" => (text === "mark" ? text : Number(text));
  const after = (option: string): string | undefined =>
    options.includes(option) ? options[options.indexOf(option) + 1] : undefined;
  const [original, reply] = [after("--zone-orig"), after("--zone-reply")];
  if (zone !== undefined) return { id: idOf(zone) };
  if (original !== undefined) return { id: idOf(original), direction: "original" };
  return reply === undefined ? undefined : { id: idOf(reply), direction: "reply" };
}
