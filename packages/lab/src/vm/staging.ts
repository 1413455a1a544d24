import { execFile } from "node:child_process";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { promisify } from "node:util";
import { text } from "@hairpin/core/messages/index.ts";
import { LabError } from "../executor/session.ts";
import type { ArchiveEntry } from "./cpio.ts";

const exec = () => promisify(execFile);

/** /bin, /sbin and /lib are links into /usr in the guest, whatever the packages still say. */
const merged = (path: string): string => path.replace(/^(bin|sbin|lib|lib64)\//, "usr/$1/");

/** Where a link of the guest leads in the guest. */
const targetOf = (path: string, target: string): string =>
  merged(target.startsWith("/") ? target.slice(1) : posix.join(posix.dirname(path), target));

/**
 * The file here that a guest path names in the end. Links are followed among the packages: `depmod` leads to `/bin/kmod`, which the
 * machine itself need not have.
 */
export async function followed(
  path: string,
  fileAt: (path: string) => string | undefined,
): Promise<string | undefined> {
  for (let steps = 0; steps < 40; steps++) {
    const file = fileAt(path);
    if (file === undefined) return undefined;
    if (!(await lstat(file)).isSymbolicLink()) return file;
    path = targetOf(path, await readlink(file));
  }
  return undefined;
}

/** Unpacked packages: their files by guest path, and their programs run on this machine by their own loader. */
export class Staging {
  readonly #root: string;
  /** Guest path → file here. */
  readonly #files: ReadonlyMap<string, string>;
  readonly #loader: string;
  readonly #libraries: readonly string[];

  private constructor(root: string, files: ReadonlyMap<string, string>, loader: string, libraries: readonly string[]) {
    this.#root = root;
    this.#files = files;
    this.#loader = loader;
    this.#libraries = libraries;
  }

  static async of(root: string): Promise<Staging> {
    const all = await filesBelow(root);
    const files = new Map(all.map((file) => [merged(file.slice(root.length + 1)), file]));
    const loader = [...files].find(([path]) => /^usr\/lib\/[^/]+\/ld-linux-x86-64\.so\.2$/.test(path))?.[1];
    if (loader === undefined) throw new LabError("the packages hold no program loader");
    const libraries = [
      ...new Set(all.filter((f) => /\/lib\/[^/]+\/[^/]+\.so(\.[\d.]+)?$/.test(f)).map((f) => dirname(f))),
    ];
    return new Staging(root, files, loader, libraries);
  }

  get root(): string {
    return this.#root;
  }

  filesBelow(folder: string): Promise<readonly string[]> {
    return filesBelow(folder);
  }

  async #find(name: string): Promise<string> {
    for (const folder of ["usr/sbin", "usr/bin"]) {
      const found = await followed(`${folder}/${name}`, (path) => this.#files.get(path));
      if (found !== undefined) return found;
    }
    throw new LabError([text("lab.vm-no-program", { name })]);
  }

  /** Runs one of the unpacked programs here. */
  async run(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const words = ["--library-path", this.#libraries.join(":"), "--argv0", name, await this.#find(name), ...args];
    const { stdout } = await exec()(this.#loader, words, {
      env: { PATH: "/usr/bin:/bin", ...env },
      maxBuffer: 1 << 26,
    });
    return stdout;
  }

  /** The files `wanted` picks, with the targets of links and the libraries of programs, as entries of an archive. */
  async closure(wanted: (path: string, file: string) => boolean): Promise<readonly ArchiveEntry[]> {
    const queue = [...this.#files].filter(([path, file]) => wanted(path, file)).map(([path]) => path);
    const entries = new Map<string, ArchiveEntry>();
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      if (entries.has(path)) continue;
      const file = this.#files.get(path);
      if (file === undefined) continue;
      const about = await lstat(file);
      if (about.isSymbolicLink()) {
        const target = await readlink(file);
        entries.set(path, { path, kind: "link", target });
        queue.push(targetOf(path, target));
        continue;
      }
      const data = await readFile(file);
      entries.set(path, { path, kind: "file", data, executable: (about.mode & 0o111) !== 0 });
      if (data.subarray(0, 4).toString("latin1") === "\x7fELF") queue.push(...(await this.#needs(file)));
    }
    return [...entries.values()];
  }

  async #needs(file: string): Promise<readonly string[]> {
    const loader = [...this.#files].filter(([, f]) => f === this.#loader).map(([path]) => path);
    try {
      const { stdout } = await exec()(this.#loader, ["--list", "--library-path", this.#libraries.join(":"), file]);
      const found = [...stdout.matchAll(/=> (\S+) \(/g)].map((m) => merged(m[1]!.slice(this.#root.length + 1)));
      return [...found, ...loader, "usr/lib64/ld-linux-x86-64.so.2"];
    } catch {
      return []; // statically linked
    }
  }
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(path)));
    else found.push(path);
  }
  return found;
}
