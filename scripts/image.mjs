// An OCI image of the executable, made from nothing: no daemon, no base image, no network. `node scripts/image.mjs` prints where the archive lies.
// The same executable and libraries give the same bytes: entries are sorted, times are zero.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = resolve(process.argv[2] ?? join(root, "dist"));
const executable = join(out, "hairpin");
const { version } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8"));
/** Somebody other than root, by number: nothing in the image belongs to them. */
const USER = 65532;

const run = (command, ...args) => {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
  return stdout;
};
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** The shared libraries that the executable names, with its loader. */
const libraries = () => [...run("ldd", executable).matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x/gm)].map((m) => m[1]).sort();

/** The copyright notices of the packages that the libraries come from, where the system keeps them. */
function notices(paths) {
  const owners = new Set(
    // Where /lib is a link to /usr/lib, packages are registered under either.
    paths.flatMap((p) =>
      [p, realpathSync(p), realpathSync(p).replace(/^\/usr/, "")].flatMap((q) => {
        const { stdout, status } = spawnSync("dpkg", ["-S", q], { encoding: "utf8" });
        return status === 0 ? [stdout.split(":")[0]] : [];
      }),
    ),
  );
  return [...owners]
    .sort()
    .map((name) => [name, `/usr/share/doc/${name}/copyright`])
    .filter(([, file]) => existsSync(file));
}

/** One entry of a tar archive (ustar). */
function entry(path, mode, content, type = "0") {
  const header = Buffer.alloc(512);
  const name = type === "5" ? `${path}/` : path;
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long for a tar entry`);
  const octal = (value, length) => `${value.toString(8).padStart(length - 1, "0")}\0`;
  header.write(name, 0);
  header.write(octal(mode, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(content.length, 12), 124);
  header.write(octal(0, 12), 136);
  header.write("        ", 148);
  header.write(type, 156);
  header.write("ustar\x0000", 257);
  header.write(
    `${header
      .reduce((a, b) => a + b, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    148,
  );
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}
const EMPTY = Buffer.alloc(0);
const archive = (entries) => Buffer.concat([...entries, Buffer.alloc(1024)]);

function layer() {
  const libs = libraries();
  const files = new Map([
    ["hairpin", [0o755, readFileSync(executable)]],
    ...libs.map((p) => [p.slice(1), [0o755, readFileSync(p)]]),
    ["etc/passwd", [0o644, Buffer.from(`root:x:0:0::/:/none\nhairpin:x:${USER}:${USER}::/cases:/none\n`)]],
    ["etc/group", [0o644, Buffer.from(`root:x:0:\nhairpin:x:${USER}:\n`)]],
    ...readdirSync(join(out, "licenses")).map((f) => [
      `licenses/${f}`,
      [0o644, readFileSync(join(out, "licenses", f))],
    ]),
    ...notices(libs).map(([name, file]) => [`licenses/${name}`, [0o644, readFileSync(file)]]),
  ]);
  const folders = new Map([
    ["tmp", 0o1777],
    ["cases", 0o755],
  ]);
  for (const path of files.keys()) for (let up = dirname(path); up !== "."; up = dirname(up)) folders.set(up, 0o755);
  const all = [
    ...[...folders].map(([path, mode]) => [path, () => entry(path, mode, EMPTY, "5")]),
    ...[...files].map(([path, [mode, content]]) => [path, () => entry(path, mode, content)]),
  ].sort(([a], [b]) => (a < b ? -1 : 1));
  return archive(all.map(([, make]) => make()));
}

if (!existsSync(executable)) run(process.execPath, join(root, "scripts/executable.mjs"), out);
const layout = join(out, "image");
rmSync(layout, { recursive: true, force: true });
mkdirSync(join(layout, "blobs/sha256"), { recursive: true });
/** Stored under its digest, and described. */
const blob = (mediaType, bytes) => {
  const digest = sha256(bytes);
  writeFileSync(join(layout, "blobs/sha256", digest), bytes);
  return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
};
const json = (value) => Buffer.from(JSON.stringify(value));

const tar = layer();
// Byte 9 of gzip's head names the system it was made on.
const packed = gzipSync(tar, { level: 6 });
packed[9] = 0xff;
const packedLayer = blob("application/vnd.oci.image.layer.v1.tar+gzip", packed);
const labels = {
  "org.opencontainers.image.title": "hairpin",
  "org.opencontainers.image.version": version,
  "org.opencontainers.image.licenses": "Apache-2.0",
};
const architecture = { x64: "amd64", arm64: "arm64" }[process.arch] ?? process.arch;
const config = blob(
  "application/vnd.oci.image.config.v1+json",
  json({
    created: "1970-01-01T00:00:00Z",
    architecture,
    os: "linux",
    config: {
      User: `${USER}:${USER}`,
      Entrypoint: ["/hairpin"],
      Cmd: ["--help"],
      WorkingDir: "/cases",
      Labels: labels,
    },
    rootfs: { type: "layers", diff_ids: [`sha256:${sha256(tar)}`] },
    history: [{ created: "1970-01-01T00:00:00Z", created_by: "scripts/image.mjs" }],
  }),
);
const manifest = blob(
  "application/vnd.oci.image.manifest.v1+json",
  json({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config,
    layers: [packedLayer],
    annotations: labels,
  }),
);
writeFileSync(join(layout, "oci-layout"), json({ imageLayoutVersion: "1.0.0" }));
writeFileSync(
  join(layout, "index.json"),
  json({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [
      {
        ...manifest,
        platform: { architecture, os: "linux" },
        annotations: { "org.opencontainers.image.ref.name": `localhost/hairpin:${version}` },
      },
    ],
  }),
);

/** The layout as one file, as `podman load` and `skopeo copy oci-archive:` take it. */
const inLayout = (folder, under = "") =>
  readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      const shown = under === "" ? name : `${under}/${name}`;
      return statSync(path).isDirectory()
        ? [entry(shown, 0o755, EMPTY, "5"), ...inLayout(path, shown)]
        : [entry(shown, 0o644, readFileSync(path))];
    });
const file = join(out, `hairpin-${version}-${architecture}.oci.tar`);
writeFileSync(file, archive(inLayout(layout)));
process.stdout.write(`${file}\n`);
process.stderr.write(`${basename(file)}: ${manifest.digest}\n`);
