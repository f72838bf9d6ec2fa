// The sheet over the drawing: the pointer's line, the selection, outlines of what is pointed at and pinned.

import { moment } from "../lib/units.js";
import { drawArrows } from "../timeline/arrows.js";
import { AXIS, pixelAt } from "../timeline/place.js";

export function drawSheet(stage, pointed) {
  stage.sheet.hidden = isBlank(stage, pointed);
  if (stage.sheet.hidden) return;
  const context = stage.sheet.getContext("2d");
  context.setTransform(stage.ratio, 0, 0, stage.ratio, 0, 0);
  context.clearRect(0, 0, stage.width, stage.height);
  context.save();
  context.beginPath();
  context.rect(stage.gutter, 0, stage.width - stage.gutter, stage.height);
  context.clip();
  drawArrows(stage, context, pointed);
  drawSelection(stage, context);
  if (stage.pinned) outline(stage, context, stage.pinned, stage.colours.ink);
  if (pointed) {
    const x = pixelAt(stage, pointed.time + pointed.run.shift);
    context.fillStyle = stage.colours.ink;
    context.globalAlpha = 0.45;
    context.fillRect(Math.round(x), 0, 1, stage.height);
    context.globalAlpha = 1;
    if (pointed.item >= 0) outline(stage, context, pointed, stage.colours.ink);
    caption(stage, context, x, pointed.time + pointed.run.shift);
  }
  context.restore();
}

// A sheet with nothing on it is taken away: without a graphics card, laying it over the drawing costs a fifth of a frame.
function isBlank(stage, pointed) {
  return !pointed && !stage.pinned && !stage.arrows && !stage.page.get("selection");
}

function drawSelection(stage, context) {
  const selection = stage.page.get("selection");
  if (!selection) return;
  const [left, right] = selection.map((time) => pixelAt(stage, time));
  context.fillStyle = stage.colours.accent;
  context.globalAlpha = 0.16;
  context.fillRect(left, 0, right - left, stage.height);
  context.globalAlpha = 1;
  context.fillRect(left - 1, 0, 1, stage.height);
  context.fillRect(right, 0, 1, stage.height);
}

function outline(stage, context, { run, item, y, height }, colour) {
  const [left, right] = [run.start[item], run.end[item]].map((time) => pixelAt(stage, time + run.shift));
  const top = y - stage.frame.scrollTop + AXIS + 2;
  if (top + height < AXIS) return;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.strokeRect(Math.max(left, -10) - 1, top - 1, Math.min(Math.max(right - left, 2), 20000) + 2, height + 2);
}

function caption(stage, context, x, time) {
  const text = moment(time, Math.max((stage.view[1] - stage.view[0]) / 1000, 1e-12));
  context.font = "600 11px system-ui, sans-serif";
  context.textBaseline = "middle";
  const width = context.measureText(text).width + 12;
  const left = Math.min(Math.max(x - width / 2, stage.gutter), stage.width - width);
  context.fillStyle = stage.colours.ink;
  context.fillRect(left, 4, width, AXIS - 10);
  context.fillStyle = stage.colours.paper;
  context.fillText(text, left + 6, AXIS / 2 - 1);
}
