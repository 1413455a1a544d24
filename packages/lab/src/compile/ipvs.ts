import type { RealServer, VirtualService, VirtualServiceKey } from "@hairpin/core/model/index.ts";
import {
  addressWord,
  bracketed,
  type Input,
  inputOf,
  joined,
  type Line,
  lineOf,
  nameWord,
  numberWord,
  type Word,
  words,
} from "@hairpin/core/model/word.ts";
import { type Address, isIpv4, PROTO } from "@hairpin/core/net/index.ts";
import { attempt, type Refusal, Unspeakable } from "./refusal.ts";

const endpointWord = ({ address, port }: { readonly address: Address; readonly port: number }): Word =>
  joined(":", isIpv4(address) ? addressWord(address) : bracketed(addressWord(address)), numberWord(port));

export function serviceWords(key: VirtualServiceKey): readonly Word[] {
  if (key.kind === "fwmark") return words`-f ${numberWord(key.mark)} ${key.family === 6 ? words`-6` : []}`;
  switch (key.protocol) {
    case PROTO.tcp:
      return words`-t ${endpointWord(key)}`;
    case PROTO.udp:
      return words`-u ${endpointWord(key)}`;
    case PROTO.sctp:
      return words`--sctp-service ${endpointWord(key)}`;
    default:
      throw new Unspeakable("a service of an unknown protocol");
  }
}

function methodWords({ method }: RealServer): readonly Word[] {
  switch (method) {
    case "masq":
      return words`-m`;
    case "local":
    case "route":
      return words`-g`;
    case "tunnel":
      return words`-i`;
    default:
      throw new Unspeakable(`a real server by ${method}`);
  }
}

export const serverName = (server: RealServer): readonly Word[] => words`-r ${endpointWord(server)}`;

export function serverWords(server: RealServer): readonly Word[] {
  const args: Word[] = [...words`${serverName(server)} ${methodWords(server)} -w ${numberWord(server.weight)}`];
  if (server.upperThreshold !== undefined) args.push(...words`-x ${numberWord(server.upperThreshold)}`);
  if (server.lowerThreshold !== undefined) args.push(...words`-y ${numberWord(server.lowerThreshold)}`);
  return args;
}

/** Input of `ipvsadm -R`. */
export function ipvsRestore(stack: string, services: readonly VirtualService[], refused: Refusal[]): Input {
  const lines: Line[] = [];
  for (const service of services) {
    attempt(refused, { stack, what: "a virtual service", origin: service.origin }, () => {
      const key = serviceWords(service.key);
      const argv: Word[] = [...words`-A ${key} -s ${nameWord(service.scheduler)}`];
      if (service.persistence !== undefined) argv.push(...words`-p ${numberWord(service.persistence)}`);
      if (service.persistenceMask !== undefined && isIpv4(service.persistenceMask)) {
        argv.push(...words`-M ${addressWord(service.persistenceMask)}`);
      }
      const flags = service.schedulerFlags ?? [];
      if (flags.length > 0) argv.push(...words`-b ${joined(",", ...flags.map(nameWord))}`);
      if (service.onePacket) argv.push(...words`-o`);
      lines.push(lineOf(argv));
      for (const server of service.realServers) {
        attempt(refused, { stack, what: `a real server of ${key[1]}`, origin: server.origin }, () => {
          lines.push(lineOf(words`-a ${key} ${serverWords(server)}`));
        });
      }
    });
  }
  return inputOf(lines);
}
