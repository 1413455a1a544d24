import { fc } from "@hairpin/testing/property.ts";
import { expect, it } from "vitest";
import { read, type VirtualService, type VirtualServiceKey } from "../../model/index.ts";
import { ipv4Of } from "../../net/index.ts";
import { servicesAt, servicesMarked, serviceWith } from "./ip-vs-services.ts";

const key: fc.Arbitrary<VirtualServiceKey> = fc.oneof(
  fc.record({
    kind: fc.constant("address" as const),
    protocol: fc.constantFrom(6, 17),
    address: fc.nat(6).map(ipv4Of),
    port: fc.nat(3),
  }),
  fc.record({
    kind: fc.constant("fwmark" as const),
    mark: fc.integer({ min: 1, max: 4 }),
    family: fc.constantFrom(4, 6),
  }),
);
const service = key.map(
  (k): VirtualService => ({
    key: k,
    scheduler: "rr",
    onePacket: false,
    realServers: [],
    extent: "whole",
    origin: read("ipvsadm", 1),
  }),
);

it("finds what going through all of them would, in the same order", () => {
  fc.assert(
    fc.property(fc.array(service, { maxLength: 40 }), key, (services, wanted) => {
      const text = JSON.stringify(wanted);
      expect(serviceWith(services, wanted)).toBe(services.find((s) => JSON.stringify(s.key) === text));
      if (wanted.kind === "address")
        expect(servicesAt(services, wanted.address)).toEqual(
          services.filter((s) => s.key.kind === "address" && s.key.address === wanted.address),
        );
      else
        expect(servicesMarked(services, wanted.mark)).toEqual(
          services.filter((s) => s.key.kind === "fwmark" && s.key.mark === wanted.mark),
        );
    }),
    { numRuns: 300 },
  );
});
