import { accessSync, constants } from "node:fs";
import { type Text, text } from "@hairpin/core/messages/index.ts";

const FOLDERS = ["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin"];

export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Programs the lab runs, and the packages that bring them: Debian's, Fedora's. */
const PACKAGES = {
  python3: ["python3", "python3"],
  ip: ["iproute2", "iproute"],
  bridge: ["iproute2", "iproute"],
  "iptables-legacy-restore": ["iptables", "iptables-legacy"],
  "iptables-nft-restore": ["iptables", "iptables-nft"],
  ipset: ["ipset", "ipset"],
  ipvsadm: ["ipvsadm", "ipvsadm"],
  conntrack: ["conntrack", "conntrack-tools"],
  nft: ["nftables", "nftables"],
  "qemu-system-x86_64": ["qemu-system-x86", "qemu-system-x86-core"],
  "apt-get": ["apt", "apt"],
  "apt-cache": ["apt", "apt"],
  "dpkg-deb": ["dpkg", "dpkg"],
} as const;

export type Program = keyof typeof PACKAGES;

export const isInstalled = (program: Program): boolean =>
  FOLDERS.some((folder) => isExecutable(`${folder}/${program}`));

/** Which programs are not here, with the command that brings them. */
export function notInstalled(missing: readonly Program[]): Text {
  const fedora = !FOLDERS.some((f) => isExecutable(`${f}/apt-get`)) && FOLDERS.some((f) => isExecutable(`${f}/dnf`));
  const packages = [...new Set(missing.map((program) => PACKAGES[program][fedora ? 1 : 0]))];
  const command = `${fedora ? "dnf" : "apt-get"} install -y ${packages.join(" ")}`;
  return text("lab.not-installed", { programs: missing, command });
}
