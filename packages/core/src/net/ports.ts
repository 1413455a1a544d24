export interface PortRange {
  readonly from: number;
  readonly to: number;
}

export const inRange = (r: PortRange, port: number): boolean => port >= r.from && port <= r.to;
export const singlePort = (port: number): PortRange => ({ from: port, to: port });
