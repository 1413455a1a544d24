import { dialects as bridge } from "./bridge/index.ts";
import { dialects as capture } from "./capture/index.ts";
import { dialects as client } from "./client/index.ts";
import { dialects as cloud } from "./cloud/index.ts";
import { dialects as conntrack } from "./conntrack/index.ts";
import type { Dialect } from "./dialect.ts";
import { dialects as iproute2 } from "./iproute2/index.ts";
import { dialects as ipset } from "./ipset/index.ts";
import { dialects as iptables } from "./iptables/index.ts";
import { dialects as ipvs } from "./ipvs/index.ts";
import { dialects as kernelLog } from "./kernel-log/index.ts";
import { dialects as kubernetes } from "./kubernetes/index.ts";
import { dialects as machine } from "./machine/index.ts";
import { dialects as netTools } from "./net-tools/index.ts";
import { dialects as nft } from "./nft/index.ts";
import { dialects as notReadYet } from "./not-read-yet/index.ts";
import { dialects as programs } from "./programs/index.ts";
import { dialects as serviceLog } from "./service-log/index.ts";
import { dialects as sockets } from "./sockets/index.ts";
import { dialects as sysctl } from "./sysctl/index.ts";

/** Dialects whose dumps become facts. Where two fit equally well, the earlier one is taken. */
export const readDialects: readonly Dialect[] = [
  ...iptables,
  ...nft,
  ...ipset,
  ...ipvs,
  ...iproute2,
  ...bridge,
  ...netTools,
  ...sysctl,
  ...machine,
  ...programs,
  ...cloud,
  ...kubernetes,
];

/** Dialects that show what happened rather than how a node is set up. */
export const observedDialects: readonly Dialect[] = [
  ...capture,
  ...kernelLog,
  ...conntrack,
  ...sockets,
  ...client,
  ...serviceLog,
];

export const recognisedDialects: readonly Dialect[] = notReadYet;

export const allDialects: readonly Dialect[] = [...readDialects, ...observedDialects, ...recognisedDialects];
