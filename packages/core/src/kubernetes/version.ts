/** A release of Kubernetes; all that is modelled has major version 1. */
export interface KubernetesVersion {
  readonly minor: number;
  readonly patch: number;
}

/** Releases whose kube-proxy was compared rule by rule. Outside of them the nearest one is taken. */
export const OLDEST_MODELLED: KubernetesVersion = { minor: 18, patch: 0 };
export const NEWEST_MODELLED: KubernetesVersion = { minor: 37, patch: 0 };

/** `v1.27.3`, `1.27`, `v1.27.3-eks-a5565ad`, `v1.37.0-rc.1`. */
export function parseVersion(text: string): KubernetesVersion | undefined {
  const match = /^v?1\.(\d{1,3})(?:\.(\d{1,4}))?(?![\d.])/.exec(text.trim());
  return match === null ? undefined : { minor: Number(match[1]), patch: Number(match[2] ?? 0) };
}

export const formatVersion = (version: KubernetesVersion): string => `1.${version.minor}.${version.patch}`;

export const isSince = (version: KubernetesVersion, minor: number, patch = 0): boolean =>
  version.minor > minor || (version.minor === minor && version.patch >= patch);

export const isModelled = (version: KubernetesVersion): boolean =>
  version.minor >= OLDEST_MODELLED.minor && version.minor <= NEWEST_MODELLED.minor;
