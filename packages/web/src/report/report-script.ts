import { attachSteppers } from "./stepper.ts";

attachSteppers(document);
