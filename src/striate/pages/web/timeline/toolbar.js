// The row of controls over the timeline.

import { button, element, name } from "../lib/dom.js";
import { grouped } from "../lib/units.js";

const HELP = "W S or wheel: zoom · A D, arrows or drag: pan · Shift-drag or drag the axis: select · double-click: zoom to a bar · "
  + "click: pin · Enter: pin the bar in the middle, then . and , go on and back in time, J and K to other lanes · F: zoom to the selection · B: bookmark the view · 0: everything · / search, N P next and previous · Esc: clear";

export function toolbar(stage, act) {
  const { page, model } = stage;
  return element("div", { class: "toolbar", role: "toolbar", "aria-label": "Timeline" },
    button("Fit", "Show everything (0)", () => act.look(stage.extent)),
    button("−", "Zoom out (S)", () => act.zoomBy(1.6)),
    button("+", "Zoom in (W)", () => act.zoomBy(1 / 1.6)),
    button("Bookmark", "Bookmark the visible time range in the address (B)", () => act.bookmark()),
    ...searchBox(stage, act),
    ...(model.runs.length > 1 ? compareControls(model, page) : []),
    ...(model.runs.some((run) => run.arrows.length) ? [arrowSwitch(stage, act)] : []),
    element("details", { class: "help" }, element("summary", {}, "Keys"), element("p", {}, HELP)));
}

function searchBox(stage, act) {
  const { page } = stage;
  const box = element("input", { type: "search", placeholder: "Search states, functions, files", "aria-label": "Search", value: page.get("query") });
  const count = element("span", { class: "soft count", role: "status" });
  let at = -1;
  box.addEventListener("input", () => {
    at = -1;
    page.set("query", box.value);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") act.nextMatch(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") {
      box.value = "";
      page.set("query", "");
      stage.frame.focus();
    }
  });
  act.focusSearch = () => box.focus();
  act.nextMatch = (step) => {
    const found = stage.matched?.all ?? [];
    if (!found.length) return;
    at = (at + step + found.length) % found.length;
    act.show(found[at].run, found[at].item);
    say();
  };
  const say = () => {
    const found = stage.matched;
    count.textContent = found ? `${at >= 0 ? `${grouped(at + 1)} of ` : ""}${grouped(found.count)} found` : "";
  };
  act.onMatch.push(say);
  page.on("query", (query) => {
    if (box.value !== query) box.value = query;
  });
  return [box, button("‹", "Previous match (P)", () => act.nextMatch(-1)), button("›", "Next match (N)", () => act.nextMatch(1)), count];
}

function arrowSwitch(stage, act) {
  const box = element("input", { type: "checkbox", checked: stage.arrows });
  box.addEventListener("change", () => {
    stage.arrows = box.checked;
    act.resheet();
  });
  return element("label", { title: "Arrows from sends to their receives, and from calls to the servers that work for them" }, box, " arrows");
}

function compareControls(model, page) {
  const common = model.runs[0].regions.filter((region) => model.runs.every((run) => run.regions.includes(region)));
  const choices = ["start", "end", ...common.slice(0, 50).map((region) => `region ${region}`)];
  const select = element("select", { "aria-label": "Align runs by", onchange: () => page.set("align", select.value) },
    choices.map((choice) => element("option", { value: choice, selected: page.get("align") === choice }, name(`align by ${choice}`))));
  const mixed = element("input", { type: "checkbox", checked: page.get("mixed"), onchange: () => page.set("mixed", mixed.checked) });
  page.on("align", (how) => (select.value = how));
  page.on("mixed", (on) => (mixed.checked = on));
  return [select, element("label", {}, mixed, " interleave rows")];
}
