import type { Device } from "../../model/index.ts";
import type { Mac } from "../../net/index.ts";

/** A device's MAC, or a name for it where no dump shows one: MACs only need to be told apart. */
export const macOf = (stack: string, device: Device): Mac => device.mac ?? `${stack}:${device.name}`;
