import type {
  ObservedComplaint,
  ObservedCounter,
  ObservedLogLine,
  ObservedMartian,
  ObservedPacket,
  ObservedServiceLine,
  ObservedSetting,
  Symptom,
} from "./observation.ts";

/** All that was seen of a case, in the order it was given. */
export interface Observations {
  readonly packets: readonly ObservedPacket[];
  readonly lines: readonly ObservedLogLine[];
  readonly martians: readonly ObservedMartian[];
  readonly complaints: readonly ObservedComplaint[];
  readonly serviceLines: readonly ObservedServiceLine[];
  readonly counters: readonly ObservedCounter[];
  readonly settings: readonly ObservedSetting[];
  readonly symptoms: readonly Symptom[];
}
