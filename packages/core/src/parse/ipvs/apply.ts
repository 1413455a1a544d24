import type { Extent, RealServer, VirtualService, VirtualServiceKey } from "../../model/index.ts";
import { type Address, formatAddress } from "../../net/index.ts";
import type { IpvsCommand, IpvsOperation } from "./command.ts";

/** The virtual services of a stack, and whether those are all. */
export interface IpvsState {
  readonly services: readonly VirtualService[];
  readonly extent: Extent;
}

export interface RefusedIpvs {
  readonly command: IpvsCommand;
  readonly reason: string;
}

/** Two services are the same when they are found by the same packets. */
export const serviceId = (key: VirtualServiceKey): string =>
  key.kind === "fwmark" ? `fwm ${key.mark} ${key.family}` : `${key.protocol} ${formatAddress(key.address)} ${key.port}`;

const serverId = (server: { readonly address: Address; readonly port: number }): string =>
  `${formatAddress(server.address)} ${server.port}`;

interface Held {
  service: VirtualService;
  readonly servers: Map<string, RealServer>;
}

/** Services while commands are applied to them, each in constant work. */
export class IpvsTable {
  readonly #held = new Map<string, Held>();
  #extent: Extent;

  constructor(state: IpvsState) {
    this.#extent = state.extent;
    for (const service of state.services) {
      const servers = new Map(service.realServers.map((s) => [serverId(s), s]));
      this.#held.set(serviceId(service.key), { service, servers });
    }
  }

  get state(): IpvsState {
    const services = [...this.#held.values()].map(({ service, servers }) => ({
      ...service,
      realServers: [...servers.values()],
    }));
    return { services, extent: this.#extent };
  }

  /** Applies one command; says why not, in ipvsadm's words, where the kernel would refuse it. */
  apply({ operation }: IpvsCommand): string | undefined {
    switch (operation.kind) {
      case "add-service":
        return this.#addService(operation.service);
      case "edit-service":
        return this.#editService(operation.service);
      case "delete-service":
        return this.#held.delete(serviceId(operation.key)) ? undefined : this.#absent("No such service");
      case "add-server":
      case "edit-server":
      case "delete-server":
        return this.#server(operation);
      case "clear":
        this.#held.clear();
        this.#extent = "whole";
        return undefined;
      case "other":
        return undefined;
    }
  }

  /** What was not shown may be there if not all was shown. */
  #absent(reason: string): string | undefined {
    return this.#extent === "whole" ? reason : undefined;
  }

  #addService(service: VirtualService): string | undefined {
    const id = serviceId(service.key);
    if (this.#held.has(id)) return "Service already exists";
    this.#held.set(id, { service, servers: new Map() });
    return undefined;
  }

  /** All of a service is set anew, what the command leaves out to its default; the real servers stay. */
  #editService(service: VirtualService): string | undefined {
    const held = this.#held.get(serviceId(service.key));
    if (held === undefined) return this.#absent("No such service");
    held.service = { ...service, extent: held.service.extent };
    return undefined;
  }

  #server(operation: Extract<IpvsOperation, { readonly server: unknown }>): string | undefined {
    const held = this.#held.get(serviceId(operation.key));
    if (held === undefined) return this.#absent("Service not defined");
    const id = serverId(operation.server);
    const known = held.servers.get(id);
    if (operation.kind === "add-server") {
      if (known !== undefined) return "Destination already exists";
      held.servers.set(id, operation.server);
      return undefined;
    }
    if (known === undefined) return held.service.extent === "whole" ? "No such destination" : undefined;
    if (operation.kind === "delete-server") held.servers.delete(id);
    else {
      const { activeConnections, inactiveConnections } = known;
      held.servers.set(id, {
        ...operation.server,
        ...(activeConnections === undefined ? {} : { activeConnections }),
        ...(inactiveConnections === undefined ? {} : { inactiveConnections }),
      });
    }
    return undefined;
  }
}

/** The services after these commands, and which of them would have been refused. */
export function applyIpvs(
  state: IpvsState,
  commands: readonly IpvsCommand[],
): { readonly state: IpvsState; readonly refused: readonly RefusedIpvs[] } {
  const table = new IpvsTable(state);
  const refused: RefusedIpvs[] = [];
  for (const command of commands) {
    const reason = table.apply(command);
    if (reason !== undefined) refused.push({ command, reason });
  }
  return { state: table.state, refused };
}
