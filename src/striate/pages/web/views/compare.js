// Differences between two runs, to be chosen among all: what takes longer stands to the right, what takes less to the left.
// Levels stand apart, for a byte that a rank writes is a byte of a server and of a disk as well.

import { element, name } from "../lib/dom.js";
import { grouped, seconds, size } from "../lib/units.js";

const SHOWN = 25;

export function render(container, data) {
  const choose = (label, names, at) => element("select", { "aria-label": label, onchange: () => fill() },
    names.map((text, number) => element("option", { value: String(number), selected: number === at }, name(text))));
  const runs = data.runs.map((run) => run.name);
  const [base, other, phase] = [choose("Base run", runs, 0), choose("Compared run", runs, 1), choose("Phase", data.phases, 0)];
  const tables = element("div", {});
  container.append(
    element("ul", { class: "plain" }, data.words.map((text) => element("li", {}, name(text)))),
    element("p", { class: "toolbar" }, "From ", base, " to ", other, data.phases.length > 1 ? [" in ", phase] : ""), tables);

  function fill() {
    const [from, to, chosen] = [base, other, phase].map((select) => Number(select.value));
    const shown = data.tables.filter((table) => table.phase === chosen).map((table) => differences(table, from, to, runs)).filter(Boolean);
    tables.replaceChildren(...(shown.length ? shown : [element("p", { class: "soft" }, "Neither run has operations in this phase.")]));
  }

  fill();
}

function differences({ title, level, lines }, from, to, runs) {
  const none = [0, 0, 0];
  const rows = lines.map((line) => ({ label: line.name, before: line.of[from] ?? none, after: line.of[to] ?? none }))
    .filter(({ before, after }) => before[0] || after[0])
    .sort((one, other) => Math.abs(grown(other)) - Math.abs(grown(one)));
  if (!rows.length) return null;
  const most = Math.max(...rows.map((row) => Math.abs(grown(row))), 1e-30);
  const head = ["", "operations", "time before", "time after", "difference", "", "each operation", "bytes"];
  const body = element("tbody", {}, rows.slice(0, SHOWN).map((row) => lineOf(row, most)));
  const more = rows.length > SHOWN ? element("p", { class: "soft" }, `${rows.length - SHOWN} more differ less.`) : null;
  const heading = title[0].toUpperCase() + title.slice(1);
  const alone = [from, to].filter((run) => lines.some((line) => line.of[run])).map((run) => runs[run]);
  const only = alone.length === 1 ? element("p", { class: "soft" }, "Only ", name(alone[0]), " tells of these.") : null;
  const made = element("div", {}, element("h3", {}, heading), only,
    element("table", { class: "differences" }, element("thead", {}, element("tr", {}, head.map((text, at) =>
      element("th", at > 0 && at !== 5 ? { class: "number" } : {}, text)))), body), more);
  made.dataset.level = level;
  return made;
}

const grown = ({ before, after }) => after[1] - before[1];

function lineOf(row, most) {
  const { label, before, after } = row;
  const number = (text) => element("td", { class: "number" }, text);
  const counts = before[0] === after[0] ? grouped(before[0]) : `${grouped(before[0])} → ${grouped(after[0])}`;
  const bytes = before[2] === after[2] ? (before[2] ? size(before[2]) : "") : `${size(before[2])} → ${size(after[2])}`;
  const more = grown(row);
  return element("tr", {}, element("td", {}, name(label)), number(counts), number(seconds(before[1])), number(seconds(after[1])),
    number(`${more > 0 ? "+" : more < 0 ? "−" : ""}${seconds(Math.abs(more))}`), element("td", {}, diverging(more / most)),
    number(eachTime(before, after)), number(bytes));
}

// How much longer one operation takes in the mean.
function eachTime(before, after) {
  if (!before[0] || !after[0]) return before[0] ? "gone" : "new";
  if (!before[1]) return "";
  const ratio = after[1] / after[0] / (before[1] / before[0]);
  return `${ratio.toFixed(2)} ×`;
}

function diverging(part) {
  const bar = element("span", { class: part > 0 ? "slower" : "faster" });
  bar.style.width = `${(Math.abs(part) * 50).toFixed(2)}%`;
  bar.style.left = part > 0 ? "50%" : `${(50 - Math.abs(part) * 50).toFixed(2)}%`;
  return element("span", { class: "diverging", role: "img", "aria-label": part > 0 ? "slower" : part < 0 ? "faster" : "the same" }, bar);
}
