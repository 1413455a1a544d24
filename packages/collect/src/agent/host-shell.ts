import { lstatSync, readlinkSync } from "node:fs";
import { posix } from "node:path";

/** Loaders by the name that programs know them by. */
const LOADERS = [
  "/lib64/ld-linux-x86-64.so.2",
  "/lib/ld-linux-aarch64.so.1",
  "/lib/ld-musl-x86_64.so.1",
  "/lib/ld-musl-aarch64.so.1",
];
const CHROOTS = ["/usr/sbin/chroot", "/usr/bin/chroot", "/sbin/chroot", "/bin/chroot"];
const LIBRARIES = [
  ...["x86_64", "aarch64"].flatMap((machine) => [`/lib/${machine}-linux-gnu`, `/usr/lib/${machine}-linux-gnu`]),
  ...["/lib64", "/usr/lib64", "/lib", "/usr/lib"],
];
const MOST_LINKS = 40;

/** What a path names for somebody to whom `root` is the root; undefined where there is nothing. */
export function within(root: string, path: string): string | undefined {
  const todo = path.split("/").filter((part) => part !== "");
  let at = "/";
  for (let links = 0; todo.length > 0; ) {
    const part = todo.shift()!;
    const next = posix.join(at, part);
    const target = linkAt(posix.join(root, next));
    if (target === undefined) return undefined;
    if (target === "") {
      at = next;
      continue;
    }
    if (++links > MOST_LINKS) return undefined;
    todo.unshift(...target.split("/").filter((p) => p !== ""));
    if (target.startsWith("/")) at = "/";
  }
  return posix.join(root, at);
}

/** Where a link leads; empty for what is none, undefined for nothing. */
function linkAt(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : "";
  } catch {
    return undefined;
  }
}

/**
 * Words before the arguments of a shell on the node whose file system is at `root`, with the node's own programs and in its network. The image of
 * an agent has neither chroot nor shell: the node's own chroot is started by the node's own loader, with the libraries beside it.
 */
export function hostShell(root: string): readonly string[] | undefined {
  const enter = ["nsenter", "-t", "1", "-u", "-n", "--", "sh", "-s", "--"];
  if (root === "/") return enter;
  const chroot = first(CHROOTS, root);
  const loader = first(LOADERS, root);
  if (chroot === undefined || loader === undefined) return undefined;
  const libraries = LIBRARIES.flatMap((path) => within(root, path) ?? []);
  return [loader, "--library-path", [...new Set(libraries)].join(":"), chroot, root, ...enter];
}

function first(paths: readonly string[], root: string): string | undefined {
  for (const path of paths) {
    const found = within(root, path);
    if (found !== undefined) return found;
  }
  return undefined;
}
