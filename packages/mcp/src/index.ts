export type {
  Answer,
  CaseRequest,
  Check,
  Diagnosis,
  Diff,
  DiffRequest,
  Engine,
  Pasted,
  Question,
  Sweep,
} from "./engine.ts";
export { serve } from "./server.ts";
