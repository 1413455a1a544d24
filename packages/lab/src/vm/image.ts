import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Text, text } from "@hairpin/core/messages/index.ts";
import { type OpenOptions, teller } from "../backend.ts";
import { executorFolder } from "../executor/locate.ts";
import { LabError } from "../executor/session.ts";
import { isRunning } from "../leftovers.ts";
import { cacheFolder } from "./cache.ts";
import { type ArchiveEntry, cpio } from "./cpio.ts";
import { wantedModules } from "./modules.ts";
import { kernelPackage, programPackages, unpack } from "./packages.ts";
import { pythonFiles } from "./python.ts";
import { Staging } from "./staging.ts";

/** Raise it when what goes into an image changes. */
const LAYOUT = 3;

/** A kernel and an initramfs that holds all but the executor. */
export interface VmImage {
  readonly kernel: string;
  readonly initramfs: string;
  readonly release: string;
}

export interface ImageOptions extends OpenOptions {
  /** The meta package of the kernel; default Debian's cloud kernel. */
  readonly kernel?: string;
}

/** Programs of the guest; links among them (iptables-legacy → xtables-legacy-multi) are kept. */
const PROGRAMS: readonly RegExp[] = [
  /^(ip|bridge|tc|ss|nstat)$/,
  /^(xtables-(legacy|nft)-multi|ip6?tables-(legacy|nft)(-restore|-save)?)$/,
  /^(nft|ipset|ipvsadm|conntrack|kmod|modprobe|depmod|python3(\.\d+)?)$/,
];

/** The image in the cache, made first where there is none. */
export async function vmImage(options: ImageOptions = {}): Promise<VmImage> {
  const progress = teller(options);
  if (process.arch !== "x64") throw new LabError([text("lab.vm-arch", { arch: process.arch })]);
  const meta = options.kernel ?? "linux-image-cloud-amd64";
  const pinned = join(cacheFolder(), `${meta}-${LAYOUT}-${await importsOf(executorFolder())}`);
  if (!existsSync(join(pinned, "release"))) await make(meta, pinned, progress);
  return {
    kernel: join(pinned, "vmlinuz"),
    initramfs: join(pinned, "initramfs"),
    release: await readFile(join(pinned, "release"), "utf8"),
  };
}

/** The image holds only those parts of Python that the executor imports: other imports, another image. */
async function importsOf(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".py")).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  const imports = texts.flatMap((text) => text.split("\n").filter((line) => /^\s*(import|from)\s/.test(line)));
  return createHash("sha256").update(imports.join("\n")).digest("hex").slice(0, 12);
}

/** Images of the same kernel for an executor that imported otherwise. */
async function forgetOthers(meta: string, target: string): Promise<void> {
  for (const name of await readdir(cacheFolder())) {
    const path = join(cacheFolder(), name);
    if (path !== target && name.startsWith(`${meta}-`) && /-\d+(-[0-9a-f]{12})?$/.test(name)) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

/** Half-made images of processes that are no more. */
async function sweep(): Promise<void> {
  for (const name of await readdir(cacheFolder())) {
    const pid = /^making-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(cacheFolder(), name), { recursive: true, force: true });
  }
}

async function make(meta: string, target: string, progress: (what: Text) => void): Promise<void> {
  await mkdir(cacheFolder(), { recursive: true });
  await sweep();
  const work = await mkdtemp(join(cacheFolder(), `making-${process.pid}-`));
  try {
    const root = join(work, "root");
    const kernel = await kernelPackage(meta);
    await unpack([kernel, ...(await programPackages())], join(work, "debs"), root, progress);
    const staging = await Staging.of(root);
    progress(text("lab.choosing-modules"));
    const release = kernel.replace(/^linux-image-/, "").replace(/-unsigned$/, "");
    const entries = [...(await moduleEntries(staging, root, release)), ...(await programEntries(staging)), ...fixed()];
    progress(text("lab.packing"));
    const out = join(work, "out");
    await mkdir(out);
    await writeFile(join(out, "initramfs"), cpio(entries));
    await writeFile(join(out, "vmlinuz"), await readFile(join(root, "boot", `vmlinuz-${release}`)));
    await writeFile(join(out, "release"), release);
    // Another process may have made it meanwhile.
    if (!existsSync(target)) await rename(out, target);
    await forgetOthers(meta, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function moduleEntries(staging: Staging, root: string, release: string): Promise<readonly ArchiveEntry[]> {
  const folder = ["lib", "usr/lib"].map((l) => join(root, l, "modules", release)).find((f) => existsSync(f));
  if (folder === undefined) throw new LabError(`the package of ${release} holds no modules`);
  await staging.run("depmod", ["-b", folder.replace(/\/lib\/modules\/.*$/, ""), release]);
  const wanted = wantedModules(await readFile(join(folder, "modules.dep"), "utf8"));
  for (const file of await staging.filesBelow(folder)) {
    const path = file.slice(folder.length + 1);
    if (path.startsWith("kernel/") && !wanted.has(path)) await rm(file);
  }
  await staging.run("depmod", ["-b", folder.replace(/\/lib\/modules\/.*$/, ""), release]);
  return Promise.all(
    (await staging.filesBelow(folder)).map(async (file): Promise<ArchiveEntry> => {
      const path = `usr/lib/modules/${release}/${file.slice(folder.length + 1)}`;
      return { path, kind: "file", data: await readFile(file), executable: false };
    }),
  );
}

async function programEntries(staging: Staging): Promise<readonly ArchiveEntry[]> {
  const python = new Set(await pythonFiles(staging, executorFolder()));
  // Compiling added files.
  return (await Staging.of(staging.root)).closure((path, file) => {
    if (python.has(file)) return true;
    const name = path.replace(/^.*\//, "");
    if (/^usr\/s?bin\//.test(path)) return PROGRAMS.some((pattern) => pattern.test(name));
    return /^usr\/lib\/[^/]+\/xtables\/\w+\.so$/.test(path) || path === "etc/protocols" || path === "etc/services";
  });
}

/** The usual links, and what the kernel opens before anything is mounted. */
const fixed = (): readonly ArchiveEntry[] => [
  ...["bin", "sbin", "lib", "lib64"].map((name): ArchiveEntry => ({ path: name, kind: "link", target: `usr/${name}` })),
  ...["proc", "sys", "dev", "run", "tmp"].map(
    (name): ArchiveEntry => ({ path: `${name}/.keep`, kind: "file", data: Buffer.alloc(0), executable: false }),
  ),
];
