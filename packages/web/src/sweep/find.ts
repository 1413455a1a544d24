/** Searching in a matrix: rows whose words do not match are hidden, groups without a row as well. Without this script all rows stand there. */
export function attachFinding(root: ParentNode): void {
  for (const swept of root.querySelectorAll<HTMLElement>("[data-swept]")) {
    const bar = swept.querySelector<HTMLElement>(".find");
    const word = swept.querySelector<HTMLInputElement>("[data-find]");
    const only = swept.querySelector<HTMLInputElement>("[data-only]");
    const found = swept.querySelector<HTMLElement>("[data-found]");
    if (bar === null || word === null || only === null || found === null) continue;
    bar.hidden = false;
    const groups = [...swept.querySelectorAll<HTMLDetailsElement>(".group")].map((group) => ({
      group,
      wasOpen: group.open,
      rows: [...group.querySelectorAll<HTMLElement>(".target")].map((row) => ({
        row,
        words: (row.textContent ?? "").toLowerCase(),
        isFine: row.classList.contains("fine"),
      })),
    }));
    const find = (): void => {
      const wanted = word.value.trim().toLowerCase().split(/\s+/);
      const asked = word.value.trim() !== "" || only.checked;
      let count = 0;
      for (const { group, wasOpen, rows } of groups) {
        let any = false;
        for (const { row, words, isFine } of rows) {
          const shows = wanted.every((w) => words.includes(w)) && !(only.checked && isFine);
          row.hidden = !shows;
          if (shows) {
            any = true;
            count++;
          }
        }
        group.hidden = !any;
        group.open = asked ? any : wasOpen;
      }
      found.textContent = !asked ? "" : count === 0 ? (found.dataset.none ?? "") : String(count);
    };
    word.addEventListener("input", find);
    only.addEventListener("change", find);
  }
}
