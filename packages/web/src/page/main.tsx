import { render } from "preact";
import { App, type BundledCase } from "./app.tsx";
import { Client } from "./client.ts";

const data = (id: string): string => document.getElementById(id)?.textContent ?? "null";

const supplied = data("given");
const app = document.getElementById("app");
if (app !== null) {
  app.replaceChildren();
  render(
    <App
      client={new Client(JSON.parse(data("worker")) as string)}
      cases={JSON.parse(data("cases")) as readonly BundledCase[]}
      input={supplied === "null" ? undefined : supplied}
    />,
    app,
  );
}
