// The manifest by which krew installs the plugin, from the archives of a release: `node scripts/krew.mjs URL PACKAGE.tgz WINDOWS.tar.gz` prints it.
// URL is where the archives will lie. Linux and macOS take the npm package, which asks for Node 20; Windows takes the executable.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [url, packed, windows] = process.argv.slice(2);
if (windows === undefined || !/^https:\/\//.test(url)) {
  process.stderr.write("usage: node scripts/krew.mjs https://WHERE/THEY/LIE PACKAGE.tgz WINDOWS.tar.gz\n");
  process.exit(64);
}
const { version } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8"));
const archive = (file) => ({
  uri: `${url.replace(/\/$/, "")}/${basename(file)}`,
  sha256: createHash("sha256").update(readFileSync(file)).digest("hex"),
});
const platform = (os, arch, file, rest) => ({ selector: { matchLabels: { os, arch } }, ...archive(file), ...rest });
const onNode = {
  bin: "dist/kubectl-hairpin.mjs",
  files: [
    { from: "package/dist", to: "." },
    { from: "package/package.json", to: "." },
    { from: "package/LICENSE", to: "." },
  ],
};
const alone = {
  bin: "hairpin.exe",
  files: [
    { from: "hairpin.exe", to: "." },
    { from: "licenses", to: "." },
  ],
};

process.stdout.write(
  stringify(
    {
      apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
      kind: "Plugin",
      metadata: { name: "hairpin" },
      spec: {
        version: `v${version}`,
        homepage: url,
        shortDescription: "Can a pod reach a Service, and if not, where the packet dies",
        description:
          "Reads the cluster's objects, and with --nodes its nodes, walks a packet there and back through an exact model of the\nLinux datapath, and says where it dies, why, and what cures it. It changes nothing.\n",
        caveats: "On Linux and macOS it needs Node.js 20 or newer.\n",
        platforms: [
          ...["linux", "darwin"].flatMap((os) => ["amd64", "arm64"].map((arch) => platform(os, arch, packed, onNode))),
          platform("windows", "amd64", windows, alone),
        ],
      },
    },
    { aliasDuplicateObjects: false },
  ),
);
