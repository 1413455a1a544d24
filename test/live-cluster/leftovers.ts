import { inNode, kubectl, NODES, run } from "./driver.ts";

const numberless = (text: string): string => text.replace(/\d+/g, "#");

/** What could be left of a run of ours: pods, files and processes of the nodes, processes here. */
export async function traces(): Promise<readonly string[]> {
  const pods = await kubectl("get", "pods", "-A", "-l", "app.kubernetes.io/managed-by=hairpin", "-o", "name");
  const onNodes = await Promise.all(
    NODES.map(async (node) => {
      const files = await inNode(node, "ls -d /tmp/* /tmp/.hairpin* /var/tmp/hairpin.* 2>/dev/null; true");
      const processes = await inNode(node, "ps -eo args=");
      return [...files.split("\n"), ...processes.split("\n").filter(isOfARun)].map(
        (found) => `${node}: ${found.trim()}`,
      );
    }),
  );
  const here = (
    await run(["sh", "-c", "for n in hpc-cp hpc-ext; do ip netns pids $n; done | xargs -r ps -o args= -p"])
  ).out
    .split("\n")
    .filter(isOfAClient);
  return [...pods.split("\n"), ...onNodes.flat(), ...here]
    .filter((line) => !/^(?:node-.: )?$/.test(line))
    .map(numberless);
}

/** The script that reads a node, the pod that waits for it, and what they call. */
const isOfARun = (args: string): boolean =>
  /(?:^|\/)(?:sh -s|sleep 1[0-9]{2}\b|timeout |chroot )|hairpin|-save -c|nft list|conntrack -|nstat -az|sysctl -a/.test(
    args,
  ) && !/hairpin-cluster|sleep 1000000|ps -eo|hairpin agent/.test(args);
const isOfAClient = (args: string): boolean => /(?:^|\/)kubectl |hairpin\.cjs/.test(args);

/** What is still there when `seconds` have passed: a pod that was deleted takes a moment to end. */
export async function leftAfter(seconds: number): Promise<readonly string[]> {
  for (let second = 0; ; second++) {
    const left = await traces();
    if (left.length === 0 || second >= seconds) return left;
    await new Promise((done) => setTimeout(done, 1000));
  }
}
