import { lookup } from "@hairpin/core/model/lookup.ts";

/**
 * Steps through a packet's life: a station of the picture shows its steps in the list, and the list marks its station. Arrow keys
 * go from step to step, Home and End to the ends. Without this script the same links work, one by one.
 */
export function attachSteppers(root: ParentNode): void {
  for (const branch of root.querySelectorAll<HTMLElement>("[data-branch]")) attach(branch);
}

function attach(branch: HTMLElement): void {
  if (branch.dataset.stepping !== undefined) return;
  branch.dataset.stepping = "";
  const steps = [...branch.querySelectorAll<HTMLElement>(".step")];
  const stations = [...branch.querySelectorAll<SVGAElement>("a[data-leg]")];
  const bar = branch.querySelector<HTMLElement>(".bar");
  const output = branch.querySelector("output");
  let at = -1;
  if (bar !== null) bar.hidden = false;

  const tell = (): void => {
    if (output !== null) output.textContent = `${at + 1} / ${steps.length}`;
  };

  const go = (to: number, focus: boolean): void => {
    const step = steps[to];
    if (step === undefined) return;
    steps[at]?.classList.remove("current");
    steps[at]?.removeAttribute("aria-current");
    at = to;
    step.classList.add("current");
    step.setAttribute("aria-current", "step");
    if (focus) step.focus({ preventScroll: true });
    within(step.closest(".life"), step);
    const [leg, number] = [step.id.replace(/-s\d+$/, ""), Number(/\d+$/.exec(step.id)?.[0])];
    for (const station of stations) {
      const here =
        station.dataset.leg === leg && Number(station.dataset.from) <= number && number <= Number(station.dataset.to);
      station.classList.toggle("current", here);
      if (here) reveal(station, step);
    }
    tell();
  };

  branch.addEventListener("click", (event) => {
    const target = event.target as Element;
    const button = target.closest<HTMLElement>("button[data-step]");
    if (button !== null) return go(at + Number(button.dataset.step), false);
    const station = target.closest<SVGAElement>("a[data-leg]");
    if (station !== null) {
      event.preventDefault();
      return go(
        steps.findIndex((s) => `#${s.id}` === station.getAttribute("href")),
        false,
      );
    }
    const step = target.closest<HTMLElement>(".step");
    if (step !== null && getSelection()?.isCollapsed !== false) go(steps.indexOf(step), true);
  });

  branch.addEventListener("keydown", (event) => {
    const by = KEYS[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const inList = (event.target as Element).closest(".life") !== null;
    go(
      by === "first" ? 0 : by === "last" ? steps.length - 1 : Math.min(Math.max(at + by, 0), steps.length - 1),
      inList,
    );
  });
  tell();
}

const KEYS: Readonly<Record<string, number | "first" | "last">> = lookup({
  ArrowDown: 1,
  ArrowRight: 1,
  ArrowUp: -1,
  ArrowLeft: -1,
  Home: "first",
  End: "last",
});

/** Brings a station into view, if that does not take its step out of it. */
function reveal(station: SVGAElement, step: HTMLElement): void {
  const frame = station.closest(".frame");
  const life = step.closest(".life");
  if (frame === null || life === null) return;
  within(frame, station);
  if (life.getBoundingClientRect().left >= frame.getBoundingClientRect().right)
    station.scrollIntoView({ block: "nearest" });
}

/** Scrolls the box only, never the page. */
function within(box: Element | null, element: Element): void {
  if (box === null) return;
  const [outer, inner] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top < outer.top + 60) box.scrollTop -= outer.top + 60 - inner.top;
  else if (inner.bottom > outer.bottom - 12)
    box.scrollTop += Math.min(inner.bottom - outer.bottom + 12, inner.top - outer.top - 60);
  if (inner.left < outer.left) box.scrollLeft -= outer.left - inner.left + 12;
  else if (inner.right > outer.right) box.scrollLeft += inner.right - outer.right + 12;
}
