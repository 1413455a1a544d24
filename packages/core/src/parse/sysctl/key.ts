/** Trees whose entries are `TREE.INTERFACE.NAME`: an interface's name may hold dots. */
const BY_INTERFACE = /^(net\.(?:ipv4|ipv6)\.(?:conf|neigh)|net\.mpls\.conf)\.(.+)\.([^.]+)$/;

/** `all.rp_filter` has one dot too many only if the name of the device has one: eth0.100 becomes eth0/100. */
function withInterface(key: string): string {
  const match = BY_INTERFACE.exec(key);
  return match === null ? key : `${match[1]}.${match[2]!.replaceAll(".", "/")}.${match[3]}`;
}

/** `/proc/sys/net/ipv4/conf/eth0.100/rp_filter` → `net.ipv4.conf.eth0/100.rp_filter`. */
export function keyOfPath(path: string): string {
  return path
    .replace(/^\/proc\/sys\//, "")
    .split("/")
    .filter((part) => part !== "")
    .map((part) => part.replaceAll(".", "/"))
    .join(".");
}

/** As sysctl(8) reads it: the first separator decides which of dot and slash separates and which belongs to a name. */
export function keyOfName(name: string): string {
  if (name.startsWith("/proc/sys/")) return keyOfPath(name);
  const slash = name.indexOf("/");
  const dot = name.indexOf(".");
  return slash >= 0 && (dot < 0 || slash < dot) ? keyOfPath(name) : withInterface(name);
}

export const pathOfKey = (key: string): string =>
  `/proc/sys/${key
    .split(".")
    .map((part) => part.replaceAll("/", "."))
    .join("/")}`;
