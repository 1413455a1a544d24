/**
 * Links from the strip and the overview into the walk: they open what is closed around their target, choose the step and bring it into view. The
 * address stays as it is, for it may hold a case. Without this script they are links as any other.
 */
export function attachJumps(root: HTMLElement): void {
  root.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="#"]');
    if (link === null || link.dataset.leg !== undefined || event.ctrlKey || event.metaKey) return;
    const target = document.getElementById(link.getAttribute("href")!.slice(1));
    if (target === null) return;
    event.preventDefault();
    for (let up: Element | null = target; up !== null; up = up.parentElement)
      if (up instanceof HTMLDetailsElement) up.open = true;
    const step = target.closest<HTMLElement>(".step");
    const scene = step?.closest<HTMLElement>(".branch");
    (scene ?? target).scrollIntoView({ block: "start" });
    if (step !== null) step.click();
    else
      (target.closest<HTMLElement>(".whole-walk")?.querySelector("summary") ?? target).focus({ preventScroll: true });
  });
}
