import {
  type DeviceProgram,
  isCard,
  isOfSwitch,
  type KubernetesObjects,
  type OtherDatapath,
  type Stack,
} from "../../model/index.ts";

/** The datapaths that the cluster's objects name for one of its nodes. */
export const datapathsOfNode = ({ otherDatapaths }: KubernetesObjects, node: string): readonly OtherDatapath[] =>
  (otherDatapaths ?? []).filter((d, i, all) =>
    d.node === undefined ? all.findIndex((o) => o.owner === d.owner && o.node === undefined) === i : d.node === node,
  );

/** A node of which only objects tell, with the programs that its pods' ends and its card have. */
export function withClusterDatapaths(stack: Stack, datapaths: readonly OtherDatapath[]): Stack {
  if (datapaths.length === 0) return stack;
  const items = stack.devices.items.map((device) => {
    const taken = datapaths.filter((d) => device.kind === "veth" || (d.cards === true && isCard(device)));
    return taken.length === 0 ? device : { ...device, programs: [...(device.programs ?? []), ...taken.map(programOf)] };
  });
  return { ...stack, devices: { ...stack.devices, items }, otherDatapaths: datapaths };
}

const programOf = ({ owner, origin }: OtherDatapath): DeviceProgram => ({
  hook: "both",
  name: isOfSwitch(owner) ? "flows of Open vSwitch" : `programs of ${owner}`,
  origin,
});
