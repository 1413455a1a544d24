import { formatAddress } from "../../net/index.ts";
import type { ProxyEndpoint } from "../endpoints.ts";
import { nameHash } from "../hash.ts";
import type { ProxyServicePort } from "../service-ports.ts";

/** chainNameBaseLengthMax: nft's 256 less what stands before it. */
const LONGEST = 240;

/** Follows hashAndTruncate() (pkg/proxy/nftables/proxier.go). */
function hashed(name: string): string {
  const whole = `${nameHash(name)}-${name}`;
  return whole.length > LONGEST ? `${whole.slice(0, LONGEST - 3)}...` : whole;
}

const baseOf = ({ service, protocolName, portName }: ProxyServicePort): string =>
  `${service.namespace}/${service.name}/${protocolName}/${portName}`;

/** Chains of one Service port. */
export interface NftChains {
  readonly service: string;
  readonly local: string;
  readonly external: string;
  readonly firewall: string;
}

export function nftChainsOf(port: ProxyServicePort): NftChains {
  const name = hashed(baseOf(port));
  return {
    service: `service-${name}`,
    local: `local-${name}`,
    external: `external-${name}`,
    firewall: `firewall-${name}`,
  };
}

/** Colons of IPv6 become dots: a name may not hold them. */
export const endpointName = (port: ProxyServicePort, { address, port: number }: ProxyEndpoint): string =>
  hashed(`${baseOf(port)}__${formatAddress(address).replaceAll(":", ".")}/${number}`);
