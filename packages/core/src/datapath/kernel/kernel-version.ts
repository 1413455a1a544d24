import type { Kernel } from "./kernel.ts";

/** Behaviour that changed with a version follows uname; a kernel nobody named is taken to be a current one. */
export function kernelAtLeast(kernel: Kernel, major: number, minor: number): boolean {
  const version = kernel.stack.machine.kernel;
  if (version === undefined) {
    kernel.oracle.assume({ kind: "kernel", stack: kernel.name }, "current", {
      kind: "kernel-current",
      stack: kernel.name,
    });
    return true;
  }
  return version.major > major || (version.major === major && version.minor >= minor);
}

/** The same, where stable kernels got it as well: by their minor number, since which patch. */
export function kernelSince(
  kernel: Kernel,
  major: number,
  minor: number,
  stable: Readonly<Record<number, number>>,
): boolean {
  if (kernelAtLeast(kernel, major, minor)) return true;
  const version = kernel.stack.machine.kernel!;
  return version.major === major && version.patch >= (stable[version.minor] ?? Number.POSITIVE_INFINITY);
}
