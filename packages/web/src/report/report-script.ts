import { attachFinding } from "../sweep/find.ts";
import { attachCopying } from "./copy.ts";
import { attachJumps } from "./jump.ts";
import { attachPrinting } from "./print.ts";
import { attachSteppers } from "./stepper.ts";

attachSteppers(document);
attachFinding(document);
attachCopying(document);
attachJumps(document.body);
attachPrinting(document);
