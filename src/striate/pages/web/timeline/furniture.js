// What stands around the bars: their labels, the names of rows, forecasts' bounds, the axis.

import { inkOn, look } from "../lib/palette.js";
import { moment, seconds } from "../lib/units.js";
import { HEADING } from "../timeline/layout.js";
import { AXIS, pixelAt, plotWidth, visible } from "../timeline/place.js";
import { ticks } from "../timeline/scale.js";

const EDGES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]; // one per run, beside its background
const FONT = "12px system-ui, sans-serif";

export function drawLabels(stage, context, labels) {
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const { from, to, state, y, height } of labels.slice(0, 800)) {
    if (state >= stage.model.states.length || y < AXIS) continue;
    const { name } = stage.model.states[state];
    const [left, right] = [from, to].map((column) => (column * stage.step) / stage.ratio);
    const room = right - left - 8;
    const text = name.length > 60 ? `${name.slice(0, 59)}…` : name;
    if (context.measureText(text).width > room) continue;
    context.fillStyle = inkOn(look(stage.model.states[state], stage.theme).fill);
    context.fillText(text, stage.gutter + left + 4, y + height / 2 + 0.5);
  }
}

export function drawNames(stage, context) {
  const { colours, gutter } = stage;
  const scroll = stage.frame.scrollTop - AXIS;
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, gutter, stage.height);
  context.textBaseline = "middle";
  const strips = visible(stage);
  for (const strip of strips) {
    context.fillStyle = strip.kind === "group" ? colours.lane : colours[`run-${strip.run.number % 4}`];
    context.fillRect(0, strip.y - scroll, gutter, strip.height);
    if (stage.model.runs.length === 1) continue;
    context.fillStyle = EDGES[strip.run.number % EDGES.length];
    context.fillRect(0, strip.y - scroll, 4, strip.height);
  }
  let free = -Infinity; // names of thin rows are left out where they would run into one another
  for (const strip of strips) {
    const y = strip.y - scroll;
    const heading = strip.kind === "group";
    if (!heading && y + strip.height / 2 < free + 14) continue;
    free = y + strip.height / 2;
    context.font = heading ? `600 ${FONT}` : FONT;
    context.fillStyle = heading ? colours.ink : colours.soft;
    const label = heading ? `${strip.folded ? "▸" : "▾"} ${groupLabel(stage, strip)}` : rowLabel(stage, strip);
    const middle = Math.min(y + strip.height / 2, y + HEADING / 2);
    clipped(context, label, heading ? 8 : 24, middle, heading ? stage.width - 16 : gutter - 32);
  }
  context.fillStyle = colours.line;
  context.fillRect(gutter - 1, 0, 1, stage.height);
}

function rowLabel({ page }, { label, run }) {
  return page.get("mixed") ? `${label} · ${run.name}` : label;
}

function groupLabel(stage, strip) {
  const run = stage.model.runs.length > 1 ? `${strip.run.name} · ` : "";
  return `${run}${strip.label} (${strip.rows.length})`;
}

function clipped(context, text, x, y, width) {
  const short = text.length > 120 ? `${text.slice(0, 119)}…` : text;
  context.save();
  context.beginPath();
  context.rect(x, y - 10, width, 20);
  context.clip();
  context.fillText(short, x, y);
  context.restore();
}

// What forecasts say the time is: a band from low to high, and a line at the estimate.
export function drawBounds(stage, context) {
  for (const { name, low, estimate, high } of stage.model.bounds) {
    const [left, right, middle] = [low, Math.min(high, stage.view[1]), estimate].map((time) =>
      Math.max(stage.gutter, Math.min(stage.width + 2, pixelAt(stage, time))));
    context.globalAlpha = 0.13;
    context.fillStyle = stage.colours.accent;
    context.fillRect(left, AXIS, Math.max(right - left, 0), stage.height - AXIS);
    context.globalAlpha = 1;
    if (middle <= stage.gutter || middle > stage.width) continue;
    context.fillRect(middle - 1, AXIS, 2, stage.height - AXIS);
    context.font = FONT;
    context.textAlign = middle > stage.width - 200 ? "right" : "left";
    context.fillText(`forecast: ${name.slice(0, 60)}`, middle + (context.textAlign === "right" ? -6 : 6), stage.height - 12);
    context.textAlign = "left";
  }
}

export function drawAxis(stage, context) {
  const { colours, view, gutter } = stage;
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, stage.width, AXIS);
  context.fillStyle = colours.line;
  context.fillRect(0, AXIS - 1, stage.width, 1);
  const { step, moments } = ticks(view[0], view[1], plotWidth(stage));
  context.font = FONT;
  context.textBaseline = "middle";
  for (const time of moments) {
    const x = Math.round(pixelAt(stage, time));
    context.fillStyle = colours.line;
    context.fillRect(x, AXIS - 8, 1, 8);
    context.globalAlpha = 0.5;
    context.fillRect(x, AXIS, 1, stage.height);
    context.globalAlpha = 1;
    context.fillStyle = colours.soft;
    if (x + 4 < stage.width - 30) context.fillText(moment(time, step, Math.max(Math.abs(view[0]), Math.abs(view[1]))), x + 4, AXIS / 2);
  }
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, gutter - 1, AXIS - 1);
  context.fillStyle = colours.soft;
  context.fillText(`${seconds(view[1] - view[0])} wide`, 8, AXIS / 2);
}
