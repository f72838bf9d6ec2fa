// The states with their looks, their share of all time, and whether they are shown.

import { element, name } from "../lib/dom.js";
import { look, marked } from "../lib/palette.js";
import { seconds } from "../lib/units.js";

const MOST = 40; // chips; states of less time stand behind a count

export function legend(model, page) {
  const list = element("div", { class: "legend", role: "group", "aria-label": "States: press to hide or show" });
  const below = (state) => (state.level > 0 ? 1 : 0); // what ranks do comes before what is done for them
  const ordered = [...model.states].sort((one, other) => below(one) - below(other) || total(other) - total(one));

  const label = (state) => (model.states.some((other) => other !== state && other.name === state.name) ? state.key : state.name);

  function toggle(state) {
    const hidden = new Set(page.get("hidden"));
    if (!hidden.delete(state.key)) hidden.add(state.key);
    page.set("hidden", hidden);
  }

  function fill() {
    const hidden = page.get("hidden");
    const chips = ordered.slice(0, MOST).map((state) => element("button",
      { type: "button", class: "chip", title: `Its time in ${state.scope ?? "all rows"}. Press to hide or show, double-click to show it alone`, "aria-pressed": String(!hidden.has(state.key)),
        onclick: () => toggle(state), ondblclick: () => page.set("hidden", new Set(ordered.filter((s) => s !== state).map((s) => s.key))) },
      swatch(state, page.theme()), name(label(state)), element("span", { class: "soft" }, seconds(total(state)))));
    const more = ordered.length > MOST ? element("span", { class: "soft" }, `and ${ordered.length - MOST} more`) : null;
    const all = hidden.size ? element("button", { type: "button", class: "chip", onclick: () => page.set("hidden", new Set()) }, "show all") : null;
    list.replaceChildren(...[...chips, more, all].filter(Boolean));
  }

  fill();
  page.on("hidden", fill);
  page.on("theme", fill);
  return list;
}

const total = (state) => state.seconds.reduce((sum, value) => sum + (value ?? 0), 0);

// An image, not a canvas: a browser handles every canvas in sight apart, in every frame.
export function swatch(state, theme) {
  const { fill, mark, pattern } = look(state, theme);
  const canvas = element("canvas", { width: 14, height: 14 });
  const context = canvas.getContext("2d");
  context.fillStyle = fill;
  context.fillRect(0, 0, 14, 14);
  context.fillStyle = mark;
  for (let y = 0; y < 14; y++) for (let x = 0; x < 14; x++) if (marked(pattern, x, y)) context.fillRect(x, y, 1, 1);
  return element("img", { class: "swatch", src: canvas.toDataURL(), alt: "", "aria-hidden": "true" });
}
