// A table of the selected part of time: operations, ranks, files or functions, of one level at a time, to be copied.

import { button, element, name, table } from "../lib/dom.js";
import { grouped, rate, seconds, share, size } from "../lib/units.js";
import { pivoted, PIVOTS, scopesOf } from "../timeline/pivot.js";

const SHOWN = 40; // lines; what is copied has all
const HEAD = ["operations", "time, all rows", "share of a row", "bytes", "rate while busy"];
const COPIED = ["operations", "seconds", "share of a row", "bytes", "bytes per second while busy"];

export function selectionPanel(model, page) {
  const panel = element("div", { class: "selection", "aria-live": "polite" });
  const scopes = scopesOf(model);
  const choose = (label, choices) => element("select", { "aria-label": label, onchange: () => fill(page.get("selection")) },
    choices.map((choice, at) => element("option", { value: String(at) }, choice)));
  const by = choose("Table by", Object.keys(PIVOTS).map((key) => `by ${key}`));
  const of = choose("Level of the table", scopes.map((scope) => scope.title));
  const said = element("span", { class: "soft", role: "status" });
  const copy = button("Copy", "Copy the tables, to paste into a spreadsheet", async () => {
    said.textContent = (await copied(text())) ? "copied" : "could not be copied";
  });

  const made = () => {
    const [from, to] = page.get("selection");
    return model.runs.map((run) => ({ run, ...pivoted(model, run, from, to, Object.keys(PIVOTS)[by.value], scopes[of.value]) }))
      .filter(({ rows }) => rows);
  };

  function text() {
    const [from, to] = page.get("selection");
    return made().flatMap(({ run, rows, lines }) => [
      ["run", "from", "to", Object.keys(PIVOTS)[by.value], ...COPIED].join("\t"),
      ...lines.map((line) => [run.name, from, to, line.label, Math.round(line.count), line.seconds, line.seconds / rows / (to - from),
        Math.round(line.bytes), line.seconds > 0 ? line.bytes / line.seconds : ""].map(cell).join("\t")),
    ]).join("\n");
  }

  function fill(selection) {
    said.textContent = "";
    if (!selection) {
      panel.replaceChildren();
      return;
    }
    const [from, to] = selection;
    const tables = made().map((one) => runTable(one, Object.keys(PIVOTS)[by.value], to - from));
    panel.replaceChildren(
      element("h3", {}, `Selected: ${seconds(to - from)} from ${seconds(from)} to ${seconds(to)}`),
      element("p", { class: "toolbar" }, by, of, copy, said), ...tables);
  }

  page.on("selection", fill);
  fill(page.get("selection"));
  return panel;
}

function runTable({ run, rows, lines }, key, span) {
  const cells = lines.slice(0, SHOWN).map(({ label, seconds: time, count, bytes }) => [
    name(label), grouped(Math.round(count)), seconds(time), share(time / rows / span),
    bytes >= 1 ? size(bytes) : "", bytes >= 1 && time > 0 ? rate(bytes / time) : "",
  ]);
  const more = lines.length > SHOWN ? `, ${lines.length - SHOWN} more lines are copied` : "";
  const caption = `${run.name}: ${rows} rows${lines.length ? more : ", nothing in this part"}`;
  return table([key, ...HEAD], cells, { caption });
}

// A cell that no spreadsheet takes for a formula, and that ends where it ends.
function cell(value) {
  const text = String(value).replace(/[\t\r\n]+/g, " ");
  return typeof value === "string" && /^[=+\-@]/.test(text) ? `'${text}` : text;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedByHand(text);
  }
}

// Where the clipboard is out of reach, as in a page that another one frames.
function copiedByHand(text) {
  const box = element("textarea", { value: text, readOnly: true });
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  return done;
}
