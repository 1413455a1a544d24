import type { Claim } from "../dialect.ts";

export const claimUname = (line: string): Claim =>
  /^Linux \S+ \d+\.\d+\S* #\d+/.test(line.slice(0, 400)) ? "head" : "no";
export const claimProcVersion = (line: string): Claim => (/^Linux version \d+\.\d+/.test(line) ? "head" : "no");

export function claimLsmod(line: string): Claim {
  if (/^Module\s+Size\s+Used by\s*$/.test(line)) return "head";
  if (/^\w{1,56} +\d{3,9} +-?\d{1,6}(?: +[\w,]+| +\[permanent\](?:,[\w,]*)?)?\s*$/.test(line.slice(0, 400)))
    return "line";
  return /^\w{1,56} \d{3,9} \d{1,6} [\w,[\]-]+ (?:Live|Loading|Unloading) 0x[0-9a-f]+/.test(line.slice(0, 400))
    ? "line"
    : "no";
}

export const claimIptablesVersion = (line: string): Claim =>
  /^ip6?tables(?:-(?:nft|legacy))?(?:-save|-restore)? v\d+\.\d+\S*(?: \((?:legacy|nf_tables)\))?\s*$/.test(
    line.slice(0, 100),
  )
    ? "head"
    : "no";

export const claimHostnamectl = (line: string): Claim =>
  /^\s*Static hostname: \S/.test(line)
    ? "head"
    : /^\s*(?:Transient hostname|Pretty hostname|Icon name|Chassis|Machine ID|Boot ID|Virtualization|Operating System|CPE OS Name|Kernel|Architecture|Hardware Vendor|Hardware Model|Firmware Version|Firmware Date|Firmware Age): /.test(
          line.slice(0, 80),
        )
      ? "line"
      : "no";

export const claimOsRelease = (line: string): Claim =>
  /^(?:PRETTY_NAME|VERSION_ID|VERSION_CODENAME|ID_LIKE|ANSI_COLOR|CPE_NAME|HOME_URL|SUPPORT_URL|BUG_REPORT_URL|PRIVACY_POLICY_URL|UBUNTU_CODENAME|PLATFORM_ID|REDHAT_\w+|CENTOS_\w+|DISTRIB_\w+|DOCUMENTATION_URL|LOGO|VARIANT|VARIANT_ID|BUILD_ID|IMAGE_ID|IMAGE_VERSION|DEFAULT_HOSTNAME|SUPPORT_END)=/.test(
    line,
  )
    ? "line"
    : /^(?:NAME|VERSION|ID)=/.test(line)
      ? "maybe"
      : "no";
