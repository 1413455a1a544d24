import { join } from "node:path";
import type { Staging } from "./staging.ts";

/** Imports the executor and prints the files that took, compiled beside their sources so that the guest need not. */
const TRACE = `
import importlib, os, py_compile, sys
root, folder = sys.argv[1], sys.argv[2]
sys.path.insert(0, folder)
for name in os.listdir(folder):
    if name.endswith(".py") and name != "__main__.py":
        importlib.import_module(name[:-3])
import encodings.latin_1
for module in list(sys.modules.values()):
    file = getattr(module, "__file__", None)
    if not file or not file.startswith(root):
        continue
    print(file)
    if file.endswith(".py"):
        guest = file[len(root):]
        print(py_compile.compile(file, dfile=guest, doraise=True,
              invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH))
`;

/** Python's own library, cut down to what the executor imports. */
export async function pythonFiles(staging: Staging, executor: string): Promise<readonly string[]> {
  const printed = await staging.run("python3", ["-S", "-B", "-c", TRACE, staging.root, executor], {
    PYTHONHOME: join(staging.root, "usr"),
  });
  return printed.split("\n").filter((file) => file !== "");
}
