// The summary: a card for every run and forecast, how they agree, what to change.

import { element, name, table } from "../lib/dom.js";
import { share } from "../lib/units.js";

const SVG = "http://www.w3.org/2000/svg";

export function render(container, data, page) {
  const measured = page.runs.filter((run) => run.origin === "observed");
  container.append(element("div", { class: "cards" }, data.runs.map((run) => card(run, measured))));
  if (data.comparison.length) container.append(list("Forecast and observation", data.comparison));
  if (data.advice.length || data.notes.length) {
    container.append(element("h3", {}, "What to change"), element("div", { class: "cards" }, data.advice.map(advised)),
      element("ul", {}, data.notes.map((note) => element("li", { class: "soft" }, name(note)))));
  }
}

function card(run, measured) {
  return element("article", { class: "card" },
    element("p", { class: "origin" }, element("span", { class: `badge ${run.origin}` }, run.origin), name(run.name)),
    element("p", { class: "headline" }, run.headline, run.range && run.range !== run.headline ? element("small", {}, ` ${run.range}`) : null),
    run.words.map((sentence) => element("p", {}, name(sentence))),
    run.parts ? whereTimeWent(run.parts) : null,
    run.busy?.length ? busyTable(run.busy) : null,
    run.rungs && (run.rungs.length > 1 || measured.length || run.rungs.some(({ low, high }) => low !== high))
      ? ladder(run.rungs, measured) : null,
    run.spreads?.length ? table(["source", "below", "above", "how"], run.spreads.map(named), { numbers: 1, caption: "Sources of the range" }) : null,
    run.uses?.length ? table(["resource", "busiest", "its work", "mean"], run.uses.map(named), { numbers: 2, caption: "Where the work is" }) : null,
    run.checks?.length ? table(["test", "", "finding"], run.checks.map(([test, outcome, finding]) => [name(test), outcome, name(finding)]), { numbers: 9, caption: "Validity tests" }) : null,
    run.flags.length ? element("div", { class: "flags" }, element("strong", {}, "Keep in mind"),
      element("ul", {}, run.flags.map((flag) => element("li", {}, name(flag))))) : null,
    element("p", { class: "soft made" }, name(run.made)),
    (run.inputs ?? []).map((input) => element("p", { class: "soft made" }, name(input))));
}

const named = (row) => row.map((cell) => name(cell));
const COLOURS = { reading: "read", writing: "write", metadata: "meta", messages: "messages" };

// One bar of parts that add up to the run's time, with its table.
function whereTimeWent(parts) {
  const bar = element("div", { class: "parts", role: "img", "aria-label": parts.map((part) => `${part.name} ${share(part.share)}`).join(", ") },
    parts.map((part) => {
      const piece = element("span", { class: `part ${COLOURS[part.name] ?? "rest"}`, title: `${part.name}: ${share(part.share)}` });
      piece.style.flexGrow = String(part.share);
      return piece;
    }));
  const rows = parts.map((part) => [
    element("span", {}, element("span", { class: `dot ${COLOURS[part.name] ?? "rest"}` }), part.name), share(part.share), part.mean, part.worst,
  ]);
  return element("div", {}, bar, table(["where the time went", "share", "mean of ranks", "most"], rows));
}

function busyTable(busy) {
  return table(["resources", "busy", "mean", "most"], busy.map((part) => [name(part.name), share(part.share), part.mean, name(part.worst)]));
}

// Each rung's low and high as a bar with a tick at its estimate; measured times as lines through all of them.
function ladder(rungs, measured) {
  const finite = [...rungs.flatMap(({ estimate, high }) => [estimate * 1.6, high ?? 0]), ...measured.map((run) => run.seconds * 1.1)];
  const most = Math.min(Math.max(...finite), 3 * Math.max(...rungs.map(({ estimate }) => estimate), ...measured.map((run) => run.seconds))) || 1;
  const [left, width, step] = [110, 690, 44];
  const x = (seconds) => left + (width - left) * Math.min(seconds / most, 1);
  const picture = shape("svg", { viewBox: `0 0 ${width + 10} ${rungs.length * step + 6}`, role: "img", class: "ladder",
    "aria-label": rungs.map((rung) => `${rung.name}: ${rung.text}`).join("; ") });
  rungs.forEach(({ name: rung, low, estimate, high, text }, at) => {
    const y = at * step + 4;
    const end = high === null ? width : x(high);
    picture.append(
      shape("text", { x: 0, y: y + 13 }, rung.length > 16 ? `${rung.slice(0, 15)}…` : rung),
      shape("rect", { class: "range", x: x(low), y, width: Math.max(end - x(low), 2), height: 16, rx: 2 }),
      shape("rect", { class: "tick", x: x(estimate) - 1.5, y: y - 2, width: 3, height: 20 }),
      shape("text", { x: x(low) > width * 0.55 ? end : x(low), y: y + 30, "text-anchor": x(low) > width * 0.55 ? "end" : "start" }, text));
  });
  for (const run of measured) {
    picture.append(shape("line", { class: "measured", x1: x(run.seconds), x2: x(run.seconds), y1: 0, y2: rungs.length * step },
      shape("title", {}, `${run.name}: measured`)));
  }
  const note = measured.length ? element("p", { class: "soft made" }, "Bars: low to high of each rung; tick: estimate; dashed line: measured.") : null;
  return element("div", {}, picture, note);
}

function shape(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function list(title, sentences) {
  return element("div", {}, element("h3", {}, title), element("ul", {}, sentences.map((text) => element("li", {}, name(text)))));
}

function advised({ title, severity, gain, evidence, change, lines, verify }) {
  return element("article", { class: "card" },
    element("p", { class: "origin" }, element("span", { class: `badge ${severity}` }, severity), gain),
    element("h4", {}, name(title)), element("p", {}, name(evidence)), element("p", {}, name(change)),
    lines.length ? element("pre", {}, lines.join("\n")) : null,
    element("p", { class: "soft made" }, "To verify: ", name(verify)));
}
