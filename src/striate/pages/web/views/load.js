// How busy every resource was over time, the busiest of each kind first.

import { element, name } from "../lib/dom.js";
import { chooser, heatMap } from "../lib/heat.js";
import { seconds, share, size } from "../lib/units.js";

const TITLES = { server: "Servers", network: "Links and interfaces", disk: "Disks", host: "Hosts, as sampled" };

export function render(container, data, page) {
  container.append(chooser("Run", data.parts.map((part) => part.name), (number) => drawn(data.parts[number], data.columns[`busy${number}`], page)));
}

function drawn(part, busy, page) {
  const width = part.seconds / part.bins;
  return Object.entries(TITLES).flatMap(([level, title]) => {
    const mine = part.resources.map((resource, at) => ({ ...resource, at })).filter((resource) => resource.level === level);
    if (!mine.length) return [];
    const rows = mine.slice(0, 12).map((resource) => element("tr", {}, element("td", {}, name(resource.name)),
      element("td", { class: "number" }, share(resource.busy)), element("td", { class: "number" }, resource.bytes ? size(resource.bytes) : "")));
    return [element("h3", {}, title),
      heatMap(page, { rows: mine.length, bins: part.bins, value: (row, bin) => busy[mine[row].at * part.bins + bin], most: 1000, hue: "busy",
        title: `${title}: share of time busy`, ends: ["0 s", seconds(part.seconds)], sides: [mine[0].name, mine.length > 1 ? mine.at(-1).name : ""],
        describe: (row, bin) => ({ title: mine[row].name, pairs: [["from", seconds(bin * width)], ["to", seconds((bin + 1) * width)],
          ["busy", share(busy[mine[row].at * part.bins + bin] / 1000)], ["in all", share(mine[row].busy)]] }) }),
      element("table", {}, element("thead", {}, element("tr", {}, [title.toLowerCase(), level === "host" ? "in use" : "busy", "bytes"].map((text, at) =>
        element("th", at ? { class: "number" } : {}, text)))), element("tbody", {}, rows))];
  });
}
