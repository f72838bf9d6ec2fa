// Statistics of the selected part of time: per state and run, over all rows.

import { element, name, table } from "../lib/dom.js";
import { grouped, rate, seconds, share, size } from "../lib/units.js";
import { sums } from "../timeline/model.js";

export function selectionPanel(model, page) {
  const panel = element("div", { class: "selection", "aria-live": "polite" });

  function fill(selection) {
    if (!selection) {
      panel.replaceChildren();
      return;
    }
    const [from, to] = selection;
    const tables = model.runs.map((run) => runTable(model, run, from, to));
    panel.replaceChildren(
      element("h3", {}, `Selected: ${seconds(to - from)} from ${seconds(from)} to ${seconds(to)}`), ...tables.filter(Boolean));
  }

  page.on("selection", fill);
  fill(page.get("selection"));
  return panel;
}

function runTable(model, run, from, to) {
  const found = sums(run, run.lanes, from - run.shift, to - run.shift, model.states.length);
  const rows = new Set(run.lanes.map((lane) => lane.row)).size;
  const shown = model.states.map((state, at) => ({ state, ...found[at] })).filter(({ count }) => count > 0);
  shown.sort((one, other) => other.seconds - one.seconds);
  const cells = shown.slice(0, 40).map(({ state, seconds: time, count, bytes }) => [
    name(state.name), grouped(Math.round(count)), seconds(time), share(time / rows / (to - from)),
    bytes >= 1 ? size(bytes) : "", bytes >= 1 && time > 0 ? rate(bytes / time) : "",
  ]);
  const caption = `${run.name}: ${rows} rows${shown.length ? "" : ", nothing in this part"}`;
  return table(["state", "operations", "time, all rows", "share of a row", "bytes", "rate while busy"], cells, { caption });
}
