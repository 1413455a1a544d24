// The search of the site: its index is a script beside it, so that it works from disk, without a server and without a network.
const field = document.getElementById("search");
const list = document.getElementById("found");
const home = document.documentElement.dataset.home ?? "";
const lang = document.documentElement.lang;

/** Every word of the question must be there; a title counts most, then a heading. */
function score({ title, headings, words }, asked) {
  let sum = 0;
  for (const word of asked) {
    const inTitle = title.toLowerCase().includes(word);
    const inHeading = headings.some((h) => h.toLowerCase().includes(word));
    const inWords = words.toLowerCase().includes(word);
    if (!inTitle && !inHeading && !inWords) return 0;
    sum += (inTitle ? 10 : 0) + (inHeading ? 4 : 0) + (inWords ? 1 : 0);
  }
  return sum;
}

function excerpt(words, asked) {
  const at = words.toLowerCase().indexOf(asked[0]);
  return at < 0 ? words.slice(0, 140) : `${at > 50 ? "…" : ""}${words.slice(Math.max(0, at - 50), at + 110)}…`;
}

function search() {
  const asked = field.value
    .toLowerCase()
    .split(/\s+/)
    .filter((w) => w !== "");
  list.replaceChildren();
  list.hidden = asked.length === 0;
  if (asked.length === 0) return;
  const found = globalThis.HAIRPIN_INDEX.filter((page) => lang.startsWith(page.lang))
    .map((page) => ({ page, score: score(page, asked) }))
    .filter((f) => f.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 12);
  for (const { page } of found) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = home + page.path;
    link.textContent = page.title;
    const words = document.createElement("p");
    words.textContent = excerpt(page.words, asked);
    item.append(link, words);
    list.append(item);
  }
  if (found.length === 0) {
    const item = document.createElement("li");
    item.textContent = field.dataset.none;
    list.append(item);
  }
}

field.addEventListener("input", search);
addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    field.focus();
  }
  if (event.key === "Escape" && document.activeElement === field) {
    field.value = "";
    search();
  }
});
