import { execFile } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Text, text } from "@hairpin/core/messages/index.ts";
import { LabError } from "../executor/session.ts";
import { notInstalled } from "../installed.ts";

const exec = () => promisify(execFile);

/** What runs in the guest, by package. */
const WANTED = [
  "iproute2",
  "iptables",
  "nftables",
  "ipset",
  "ipvsadm",
  "conntrack",
  "kmod",
  "python3-minimal",
  "libpython3-stdlib",
  "netbase",
] as const;

/** Dependencies of their packages' scripts and documentation, not of the programs. */
const UNWANTED =
  /^(perl|libperl|debconf|cdebconf|libdebconf|dpkg|tar$|install-info|media-types|mailcap|mime-support|lsb-base|sysvinit|init-|libdebian-installer|libnewt|libslang|libtextwrap|readline-common|gcc-|libgssapi|libk|libcom-err|libsqlite|libncurses|libgdbm|libdb)/;

async function apt(tool: "apt-get" | "apt-cache" | "dpkg-deb", args: readonly string[], cwd = "/"): Promise<string> {
  try {
    const { stdout } = await exec()(tool, [...args], { cwd, maxBuffer: 1 << 26, env: { ...process.env, LC_ALL: "C" } });
    return stdout;
  } catch (problem) {
    const { code, stderr, message } = problem as { code?: unknown; stderr?: string; message: string };
    if (code === "ENOENT") throw new LabError([text("lab.vm-debian"), notInstalled([tool])]);
    throw new LabError(`${tool} ${args[0]}: ${(stderr ?? "").trim() || message}`);
  }
}

/** The package that `meta` stands for at present: linux-image-cloud-amd64 → linux-image-6.1.0-54-cloud-amd64. */
export async function kernelPackage(meta: string): Promise<string> {
  // `depends` of a package that nobody knows is an error of apt's own.
  const isKnown = (await apt("apt-cache", ["pkgnames", meta])).split("\n").includes(meta);
  const depends = isKnown ? await apt("apt-cache", ["depends", meta]) : "";
  const found = /Depends: (linux-image-[0-9][A-Za-z0-9+.~-]*)/.exec(depends);
  if (found === null) throw new LabError([text("lab.vm-no-kernel", { name: meta })]);
  return found[1]!;
}

/** The programs' packages and the libraries they need. */
export async function programPackages(): Promise<readonly string[]> {
  const omit = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"].map((kind) => `--no-${kind}`);
  const text = await apt("apt-cache", ["depends", "--recurse", ...omit, ...WANTED]);
  return [...new Set(text.split("\n").filter((row) => /^[a-z0-9][a-z0-9+.-]*$/.test(row)))].filter(
    (name) => !UNWANTED.test(name),
  );
}

/** Fetches packages into `folder` and unpacks them below `root`; nothing is installed. */
export async function unpack(
  packages: readonly string[],
  folder: string,
  root: string,
  progress: (what: Text) => void,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await mkdir(root, { recursive: true });
  progress(text("lab.downloading", { count: packages.length }));
  await apt("apt-get", ["download", "-q", ...packages], folder);
  const files = (await readdir(folder)).filter((name) => name.endsWith(".deb"));
  for (const [i, file] of files.entries()) {
    if (i % 10 === 0) progress(text("lab.unpacking", { at: i + 1, count: files.length }));
    await apt("dpkg-deb", ["-x", join(folder, file), root]);
  }
}
