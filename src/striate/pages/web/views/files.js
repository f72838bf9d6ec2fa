// The file map: places across, ranks down; below it when each place was touched, and the server it lies on.

import { element, name } from "../lib/dom.js";
import { chooser, heatMap } from "../lib/heat.js";
import { channels, mixed } from "../lib/palette.js";
import { grouped, seconds, size } from "../lib/units.js";
import { ranksOf } from "../views/activity.js";

const SERVERS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#e6c229", "#66758a"];

export function render(container, data, page) {
  const names = data.maps.map((map) => (page.runs.length > 1 ? `${map.run}: ${map.file}` : map.file));
  container.append(chooser("File", names, (number) => drawn(data.maps[number], number, data.columns, page)));
}

function drawn(map, number, columns, page) {
  const width = (map.high - map.low) / map.bins;
  const [first, last] = [columns[`first${number}`], columns[`last${number}`]];
  const server = columns[`server${number}`];
  const from = (bin) => map.low + bin * width;
  const ends = [`byte ${grouped(Math.round(map.low))}`, `byte ${grouped(Math.round(map.high))}`];
  const about = (bin) => [["from byte", grouped(Math.round(from(bin)))], ["to byte", grouped(Math.round(from(bin + 1)))],
    ...(first[bin] >= 0 ? [["first touched", seconds(first[bin] * 1e-9)], ["last touched", seconds(last[bin] * 1e-9)]] : []),
    ...(server ? [["server", server[bin] < 0 ? "several" : String(server[bin])]] : [])];
  const parts = [element("p", { class: "soft" }, name(map.file), ` - ${grouped(map.requests)} requests, ${size(map.high)} long`,
    map.layout ? `, ${map.layout}` : ", layout not known")];
  for (const verb of ["write", "read"]) {
    const bytes = columns[`${verb}${number}`];
    const most = bytes.reduce((one, other) => Math.max(one, other), 0);
    if (!most) continue;
    parts.push(element("h3", {}, verb === "read" ? "Read by" : "Written by"),
      heatMap(page, { rows: map.rows, bins: map.bins, value: (row, bin) => bytes[row * map.bins + bin], most, hue: verb, ends,
        title: `Bytes of the file ${verb === "read" ? "read" : "written"}, by rank`, sides: ["rank 0", `rank ${map.ranks - 1}`],
        describe: (row, bin) => ({ title: ranksOf(map, row), pairs: [...about(bin),
          [verb === "read" ? "read" : "written", size(bytes[row * map.bins + bin])]] }) }));
  }
  parts.push(element("h3", {}, "First access: darker is later"),
    strip(map.bins, page, (bin, paper) => (first[bin] < 0 ? paper : mixed(paper, "#4b5d73", 0.15 + 0.85 * Math.min(1, (first[bin] * 1e-9) / map.seconds)))));
  if (server) {
    parts.push(element("h3", {}, `Servers (${map.layout}); pale where a cell has bytes of several`),
      strip(map.bins, page, (bin, paper) => (server[bin] < 0 ? mixed(paper, "#66758a", 0.25) : SERVERS[server[bin] % SERVERS.length])));
  }
  return parts;
}

// One row of cells, each of a colour of its own.
function strip(bins, page, colour) {
  const canvas = element("canvas", { class: "heat strip", width: bins, height: 1, "aria-hidden": "true" });
  const paint = () => {
    const paper = page.theme() === "dark" ? "#1c232c" : "#f0f3f7";
    const context = canvas.getContext("2d");
    const image = context.createImageData(bins, 1);
    for (let bin = 0; bin < bins; bin++) image.data.set([...channels(colour(bin, paper)), 255], 4 * bin);
    context.putImageData(image, 0, 0);
  };
  page.on("theme", paint);
  paint();
  return element("div", { class: "heatmap" }, element("div", { class: "sides" }), canvas);
}
