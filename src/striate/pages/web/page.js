// Starts a page: shared state, theme and address, a heading, and every view in its section.

import { columnsOf, inflate } from "./lib/columns.js";
import { button, element, name } from "./lib/dom.js";
import { sharedState } from "./lib/state.js";

export async function start(renders) {
  const described = JSON.parse(document.getElementById("document").textContent);
  const page = makePage(described.shared);
  window.striate = { page, ready: false, views: {} };
  const root = document.getElementById("page");
  const sections = described.views.map((view) => element("section", { id: view.name, class: view.name },
    element("h2", {}, view.title)));
  root.append(header(described, page), element("main", {}, sections));
  for (const [number, view] of described.views.entries()) {
    const buffer = await inflate(document.getElementById(`columns-${number}`).textContent);
    const data = { ...view.data, columns: columnsOf(view.columns, buffer) };
    window.striate.views[view.name] = renders[view.name](sections[number], data, page);
  }
  window.striate.ready = true;
  document.documentElement.dataset.ready = "true";
}

function makePage(shared) {
  const state = sharedState(window.location);
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let printing = false;
  const page = {
    ...state,
    runs: shared.runs,
    shared,
    theme() {
      if (printing) return "light";
      const chosen = state.get("theme");
      return chosen === "auto" ? (system.matches ? "dark" : "light") : chosen;
    },
  };
  const apply = () => (document.documentElement.dataset.theme = page.theme());
  apply();
  state.on("theme", apply);
  // `apply` comes first, so that views see the new colours.
  const again = () => state.set("theme", state.get("theme"));
  system.addEventListener("change", again);
  const print = (on) => () => {
    printing = on;
    again();
  };
  window.addEventListener("beforeprint", print(true));
  window.addEventListener("afterprint", print(false));
  keepAddress(state);
  return page;
}

// The address follows the state a little later; a changed address is taken over.
function keepAddress(state) {
  let timer = 0;
  let written = window.location.hash;
  state.on("*", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      written = state.hash();
      window.history.replaceState(null, "", written || window.location.pathname + window.location.search);
    }, 150);
  });
  window.addEventListener("hashchange", () => {
    if (window.location.hash !== written) state.adopt(window.location.hash);
  });
}

function header(described, page) {
  const links = described.views.map((view) => element("a", { href: `#${view.name}`, onclick: (event) => {
    event.preventDefault(); // the address belongs to the state
    document.getElementById(view.name).scrollIntoView({ behavior: "smooth" });
  } }, view.title));
  const swap = button("Light / dark", "Switch between light and dark", () => page.set("theme", page.theme() === "dark" ? "light" : "dark"),
    { class: "theme" });
  return element("header", {}, element("h1", {}, name(described.title)), element("nav", { "aria-label": "Sections" }, links), swap,
    button("Print", "Print, or save as PDF", () => window.print(), { class: "print" }));
}
