/** A button beside every command that puts it on the clipboard. Its words stand on the body: the script has none of its own. */
export function attachCopying(root: ParentNode): void {
  for (const command of root.querySelectorAll<HTMLElement>("pre.commands, code.command")) attach(command);
}

function attach(command: HTMLElement): void {
  if (command.dataset.copying !== undefined) return;
  command.dataset.copying = "";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  const { copy = "Copy", copied = "Copied" } = document.body.dataset;
  button.textContent = copy;
  button.setAttribute("aria-label", `${copy}: ${(command.textContent ?? "").slice(0, 80)}`);
  button.addEventListener("click", () => {
    void put(command).then(() => {
      button.textContent = copied;
      setTimeout(() => {
        button.textContent = copy;
      }, 1500);
    });
  });
  if (command.tagName !== "PRE") {
    command.after(button);
    return;
  }
  const around = document.createElement("div");
  around.className = "copyable";
  command.replaceWith(around);
  around.append(command, button);
}

/** Where the clipboard is refused, the command is selected: Ctrl-C does the rest. */
async function put(command: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(command.textContent ?? "");
  } catch {
    getSelection()?.selectAllChildren(command);
  }
}
