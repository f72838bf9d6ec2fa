// How busy every resource was over time, the busiest of each kind first.

import { element, name } from "../lib/dom.js";
import { chooser, curve, heatMap } from "../lib/heat.js";
import { rate, seconds, share, size } from "../lib/units.js";

const TITLES = { server: "Servers", network: "Links and interfaces", disk: "Disks", host: "Hosts, as sampled" };

export function render(container, data, page) {
  container.append(chooser("Run", data.parts.map((part) => part.name), (number) => drawn(data.parts[number], number, data.columns, page)));
}

function drawn(part, number, columns, page) {
  const busy = columns[`busy${number}`];
  const width = part.seconds / part.bins;
  return Object.entries(TITLES).flatMap(([level, title]) => {
    const mine = part.resources.map((resource, at) => ({ ...resource, at })).filter((resource) => resource.level === level);
    if (!mine.length) return [];
    const rows = mine.slice(0, 12).map((resource) => element("tr", {}, element("td", {}, name(resource.name)),
      element("td", { class: "number" }, share(resource.busy)), element("td", { class: "number" }, resource.bytes ? size(resource.bytes) : "")));
    return [element("h3", {}, title), ...curves(part, number, level, columns, page),
      heatMap(page, { rows: mine.length, bins: part.bins, value: (row, bin) => busy[mine[row].at * part.bins + bin], most: 1000, hue: "busy",
        title: `${title}: share of time busy`, ends: ["0 s", seconds(part.seconds)], sides: [mine[0].name, mine.length > 1 ? mine.at(-1).name : ""],
        describe: (row, bin) => ({ title: mine[row].name, pairs: [["from", seconds(bin * width)], ["to", seconds((bin + 1) * width)],
          ["busy", share(busy[mine[row].at * part.bins + bin] / 1000)], ["in all", share(mine[row].busy)]] }) }),
      element("table", {}, element("thead", {}, element("tr", {}, [title.toLowerCase(), level === "host" ? "in use" : "busy", "bytes"].map((text, at) =>
        element("th", at ? { class: "number" } : {}, text)))), element("tbody", {}, rows))];
  });
}

const OCCUPANCY = { dirty: "Memory with data on its way to the disks", cached: "Memory with pages of the read cache" };

// The rate of all servers or disks together, how many requests are there (what waits or is worked on), and what servers
// hold in memory.
function curves(part, number, level, columns, page) {
  if (!part.curves.includes(level)) return [];
  const width = part.seconds / part.bins;
  const drawing = (values, hue, words) => {
    const peak = values.reduce((one, other) => Math.max(one, other), 0);
    if (!peak) return [];
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const title = words(peak, mean);
    return [element("p", { class: "soft" }, title), curve(page, { values: [...values], peak, hue, title })];
  };
  return [
    ...drawing(columns[`${level}Moved${number}`], "write", (peak, mean) =>
      `Bandwidth of all together: at most ${rate(peak / width)}, ${rate(mean / width)} on average`),
    ...drawing(columns[`${level}UnderWay${number}`], "busy", (peak, mean) =>
      `${level === "server" ? "Requests waiting or worked on" : "Jobs in flight"}: at most ${(peak / 1000).toFixed(1)}, ${(mean / 1000).toFixed(1)} on average`),
    ...Object.entries(level === "server" ? part.occupancy : {}).flatMap(([name, { most, server }]) =>
      drawing(columns[`${name}${number}`], "read", (peak, mean) =>
        `${OCCUPANCY[name]}, all servers: at most ${size(peak)}, ${size(mean)} on average; at most ${size(most)} on one (${server})`)),
  ];
}
