// Profiles as tables that sort by any column.

import { element, name } from "../lib/dom.js";
import { chooser } from "../lib/heat.js";
import { grouped, rate, seconds, size } from "../lib/units.js";

const SHOWN = 20;

export function render(container, data) {
  container.append(chooser("Run", data.parts.map((part) => part.name), (number) => {
    const part = data.parts[number];
    return [...part.words.map((text) => element("p", {}, text)),
      chooser("Profile", part.tables.map((table) => `per ${table.title}`), (at) => sorted(part.tables[at]))];
  }));
}

function sorted(table) {
  const holder = element("div", {});
  let [by, down, all] = [firstTime(table) + 1, true, false];

  function fill() {
    const lines = [...table.lines].sort((one, other) => (down ? -1 : 1) * compared(one[by], other[by]));
    const head = [table.title, ...table.columns].map((title, at) => element("th",
      { class: at ? "number" : "", "aria-sort": at === by ? (down ? "descending" : "ascending") : "none" },
      element("button", { type: "button", class: "sort", onclick: () => {
        [by, down] = at === by ? [by, !down] : [at, at > 0];
        fill();
      } }, at === by ? `${title} ${down ? "▾" : "▴"}` : title)));
    const body = lines.slice(0, all ? lines.length : SHOWN).map((line) => element("tr", {}, line.map((value, at) =>
      element("td", at ? { class: "number" } : {}, at ? told(value, table.columns[at - 1]) : name(value)))));
    const hidden = lines.length - SHOWN;
    const more = !all && hidden > 0
      ? element("button", { type: "button", onclick: () => { all = true; fill(); } }, `show ${hidden} more`) : null;
    holder.replaceChildren(...[element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, body)), more,
      table.more ? element("p", { class: "soft" }, `${grouped(table.more)} that took less are left out.`) : null].filter(Boolean));
  }

  fill();
  return holder;
}

const firstTime = (table) => table.columns.findIndex((title) => title.startsWith("seconds"));

function compared(one, other) {
  if (typeof one === "string" || typeof other === "string") return String(one).localeCompare(String(other), "en", { numeric: true });
  return (one ?? -1) - (other ?? -1);
}

function told(value, column) {
  if (value === null) return "";
  if (column === "bytes") return value ? size(value) : "";
  if (column === "rate") return rate(value);
  if (column.includes("seconds") || column === "start") return seconds(value);
  return typeof value === "number" ? grouped(value) : String(value);
}
