import type { SetDimension } from "../../model/index.ts";
import { type Family, familyOf, maxLength, parsePrefix } from "../../net/index.ts";
import { protocolOf } from "./protocols.ts";
import { type SetType, setType, typeName } from "./types.ts";

/**
 * What an element's text alone says of its set's type: members after grep come without a header. Of types that fit alike
 * the narrowest is taken. A bare word says nothing, though it may be a member of a list:set.
 */
export function inferType(element: string): { readonly type: SetType; readonly family: Family } | undefined {
  const pieces = element.split(",", 4);
  const dimensions: SetDimension[] = [];
  let family: Family = 4;
  for (const piece of pieces) {
    const prefix = parsePrefix(piece);
    if (prefix !== undefined) {
      family = familyOf(prefix.address);
      dimensions.push(prefix.length === maxLength(prefix.address) ? "ip" : "net");
    } else if (/^[0-9a-fA-F]{1,2}(?::[0-9a-fA-F]{1,2}){5}$/.test(piece)) dimensions.push("mac");
    else if (/^0[xX][0-9a-fA-F]{1,8}$/.test(piece)) dimensions.push("mark");
    else if (isRange(piece)) dimensions.push("ip");
    else if (/^\d{1,5}(?:-\d{1,5})?$/.test(piece)) dimensions.push("port");
    else if (protocolOf(piece.slice(0, Math.max(0, piece.indexOf(":")))) !== undefined) dimensions.push("port");
    else if (dimensions.length === 0) return undefined;
    else dimensions.push("iface");
  }
  const first = dimensions[0];
  if (first === "ip" && (dimensions[1] === "net" || dimensions[1] === "iface" || dimensions[1] === "ip")) {
    dimensions[0] = "net";
    if (dimensions[1] === "ip") dimensions[1] = "net";
  }
  if (first === "net" && dimensions[2] === "ip") dimensions[2] = "net";
  const method = dimensions.length === 1 && first === "port" ? "bitmap" : "hash";
  const type = setType(typeName({ method, dimensions }));
  return type === undefined ? undefined : { type, family };
}

const isRange = (text: string): boolean => {
  const dash = text.indexOf("-");
  return dash > 0 && parsePrefix(text.slice(0, dash)) !== undefined && parsePrefix(text.slice(dash + 1)) !== undefined;
};
