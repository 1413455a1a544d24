/** `data-print`: what one acts on, on two pages; `data-print="steps"`: with every step. */
export function attachPrinting(root: ParentNode): void {
  for (const button of root.querySelectorAll<HTMLElement>("button[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => printAnswer(button.dataset.print === "steps"));
  }
}

export function printAnswer(steps: boolean): void {
  document.body.classList.toggle("print-steps", steps);
  addEventListener("afterprint", () => document.body.classList.remove("print-steps"), { once: true });
  print();
}
