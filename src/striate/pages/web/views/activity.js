// I/O over time: ranks down, time across; above it the rate of all ranks, beside it the sizes of requests.

import { element } from "../lib/dom.js";
import { chooser, curve, heatMap } from "../lib/heat.js";
import { grouped, rate, seconds, size } from "../lib/units.js";

const WORDS = { read: "read", write: "written" };

export function render(container, data, page) {
  container.append(chooser("Run", data.parts.map((part) => part.name), (number) => drawn(data.parts[number], number, data.columns, page)));
}

function drawn(part, number, columns, page) {
  const width = part.seconds / part.bins;
  return ["write", "read"].flatMap((verb) => {
    const bytes = columns[`${verb}${number}`];
    const total = bytes.reduce((sum, value) => sum + value, 0);
    if (!total) return [];
    const most = bytes.reduce((one, other) => Math.max(one, other), 0);
    const together = Array.from({ length: part.bins }, (_, bin) => sumOf(bytes, part, bin));
    const peak = Math.max(...together);
    const busiest = `${size(total)} ${WORDS[verb]}; at most ${rate(peak / width)} together, ${rate(most / width)} in one cell`;
    return [element("h3", {}, `${verb === "read" ? "Reads" : "Writes"}: ${busiest}`),
      curve(page, { values: together, peak, hue: verb, title: `Rate of ${verb}s over time` }),
      heatMap(page, { rows: part.rows, bins: part.bins, value: (row, bin) => bytes[row * part.bins + bin], most, hue: verb,
        title: `Bytes ${WORDS[verb]} by rank and time`, ends: ["0 s", seconds(part.seconds)],
        sides: ["rank 0", `rank ${part.ranks - 1}`],
        describe: (row, bin) => ({ title: ranksOf(part, row), pairs: [
          ["from", seconds(bin * width)], ["to", seconds((bin + 1) * width)],
          [WORDS[verb], size(bytes[row * part.bins + bin])], ["rate", rate(bytes[row * part.bins + bin] / width)],
          ["all ranks", rate(together[bin] / width)]] }) }),
      sizes(part.histogram[verb], verb)];
  });
}

function sumOf(bytes, part, bin) {
  let sum = 0;
  for (let row = 0; row < part.rows; row++) sum += bytes[row * part.bins + bin];
  return sum;
}

export function ranksOf(part, row) {
  const last = Math.min(part.ranks, (row + 1) * part.step) - 1;
  return part.step === 1 ? `rank ${row}` : `ranks ${row * part.step} to ${last}`;
}

function sizes(histogram, verb) {
  const most = Math.max(...histogram.map(([, count]) => count));
  const rows = histogram.map(([power, count, bytes]) => {
    const bar = element("span", { class: `bar ${verb}` });
    bar.style.width = `${Math.max(1, (100 * count) / most).toFixed(1)}%`;
    return element("tr", {}, element("td", {}, power < 0 ? "nothing" : `${size(2 ** power)} to ${size(2 ** (power + 1))}`),
      element("td", { class: "number" }, grouped(count)), element("td", { class: "number" }, size(bytes)),
      element("td", { class: "wide" }, element("span", { class: "track" }, bar)));
  });
  return element("table", { class: "sizes" }, element("thead", {}, element("tr", {}, [`size of a ${verb}`, "requests", "bytes", ""].map((text, at) =>
    element("th", at === 1 || at === 2 ? { class: "number" } : {}, text)))), element("tbody", {}, rows));
}
