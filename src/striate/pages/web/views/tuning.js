// The tuning surface: two knobs, the darker the shorter the time; below it every candidate that was asked.

import { element, name } from "../lib/dom.js";
import { chooser, heatMap } from "../lib/heat.js";
import { grouped, seconds } from "../lib/units.js";

export function render(container, data, page) {
  container.append(chooser("Study", data.parts.map((part) => part.name), (number) => drawn(part(data, number), page)));
}

const part = (data, number) => ({ ...data.parts[number], times: data.columns[`seconds${number}`] });

function drawn(study, page) {
  const [wide, high] = [study.columns.length, study.rows.length];
  const least = study.times.reduce((one, other) => (other > 0 ? Math.min(one, other) : one), Infinity);
  const at = (row, column) => study.times[row * wide + column];
  const map = Number.isFinite(least) ? heatMap(page, { rows: high, bins: wide, hue: "busy", most: 1,
    value: (row, column) => (at(row, column) > 0 ? (least / at(row, column)) ** 2 : 0), height: Math.max(60, high * 28),
    title: `Time by ${study.across} and ${study.down}`, ends: [`${study.across} ${study.columns[0]}`, study.columns.at(-1)],
    sides: [`${study.down} ${study.rows[0]}`, high > 1 ? study.rows.at(-1) : ""],
    describe: (row, column) => ({ title: at(row, column) > 0 ? seconds(at(row, column)) : "not asked, or refused", pairs: [
      [study.across, study.columns[column]], ...(study.down ? [[study.down, study.rows[row]]] : [])] }) }) : null;
  const cells = (line) => line.map((value, column) => element("td", column > 1 && column < 5 ? { class: "number" } : {},
    typeof value === "number" ? seconds(value) : name(value ?? "")));
  const head = ["settings", "outcome", "predicted", "low", "high", "rung"].map((text, column) =>
    element("th", column > 1 && column < 5 ? { class: "number" } : {}, text));
  return [study.now ? element("p", {}, `As it is now: ${seconds(study.now)}.`) : null, map,
    element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, study.lines.map((line) => element("tr", {}, cells(line))))),
    study.more ? element("p", { class: "soft" }, `${grouped(study.more)} more candidates are not listed.`) : null];
}
