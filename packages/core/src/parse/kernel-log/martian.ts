import type { ObservedMartian } from "../../model/index.ts";
import { type Mac, parseAddress } from "../../net/index.ts";

const MARTIAN = /\bmartian (source|destination) (\S{2,45}) from (\S{2,45}), (?:on )?dev (\S{1,16})/;
const HEADER = /\bll header: (?:[0-9a-f]{8}: )?([0-9a-f]{2}(?:[: ][0-9a-f]{2}){5,31})/;

/** `martian source DST from SRC, on dev IN` (ip_handle_martian_source, fib.c). */
export function martianOf(text: string): Pick<ObservedMartian, "kind" | "src" | "dst" | "device"> | undefined {
  const m = MARTIAN.exec(text);
  if (m === null) return undefined;
  const dst = parseAddress(m[2]!);
  const src = parseAddress(m[3]!.replace(/,$/, ""));
  if (src === undefined || dst === undefined) return undefined;
  return { kind: m[1] as "source" | "destination", src, dst, device: m[4]! };
}

/** The Ethernet header printed below a martian. */
export function llHeader(text: string): { readonly dstMac: Mac; readonly srcMac?: Mac } | undefined {
  const bytes = HEADER.exec(text)?.[1]?.split(/[: ]/);
  if (bytes === undefined) return undefined;
  const dstMac = bytes.slice(0, 6).join(":");
  return bytes.length < 12 ? { dstMac } : { dstMac, srcMac: bytes.slice(6, 12).join(":") };
}
