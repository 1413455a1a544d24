import { createSocket } from "node:dgram";

/** Sends one datagram to each of many ports of an address: to the kernel each is the first packet of a flow. Says what one took. */
const [address = "", flows = "1500"] = process.argv.slice(2);
const socket = createSocket("udp4");
socket.bind(0, async () => {
  const payload = Buffer.alloc(8);
  const send = (port: number) =>
    new Promise<void>((done, failed) =>
      socket.send(payload, port, address, (error) => (error === null ? done() : failed(error))),
    );
  for (let port = 1; port <= 50; port++) await send(port);
  const start = process.cpuUsage();
  for (let i = 0; i < Number(flows); i++) await send(1000 + i);
  const { user, system } = process.cpuUsage(start);
  socket.close();
  console.log(JSON.stringify({ microseconds: (user + system) / Number(flows) }));
});
