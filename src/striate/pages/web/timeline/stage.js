// The drawing itself: a base with axis, row names and lanes, and a sheet over it for what follows the pointer.

import { element } from "../lib/dom.js";
import { coarser } from "../timeline/coarser.js";
import { drawAxis, drawBounds, drawLabels, drawNames } from "../timeline/furniture.js";
import { layout } from "../timeline/layout.js";
import { AXIS, visible } from "../timeline/place.js";
import { packed, paintLane, paintsOf } from "../timeline/raster.js";
import { addLane, clear, shareBuffer } from "../timeline/shares.js";

const SLOW = 7; // milliseconds that a frame of ours may take before it is drawn coarser

export function makeStage(model, page) {
  const base = element("canvas", { class: "base" });
  const sheet = element("canvas", { class: "sheet" });
  const spacer = element("div", { class: "spacer" });
  const frame = element("div", { class: "stage", tabIndex: 0, role: "application" },
    element("div", { class: "canvases" }, base, sheet), spacer);
  const stage = {
    model, page, frame, base, sheet, spacer, gutter: 150, width: 0, height: 0, ratio: 1,
    folded: foldedAtFirst(model), strips: [], total: 0, looks: (run, item, state) => state, view: [0, 1], drawn: 0,
    step: 1, cost: 0, moving: false, hurried: false, scaled: document.createElement("canvas"),
    arrows: model.runs.some((run) => run.arrows.length) && model.runs.every((run) => run.arrows.length <= 300),
  };
  return stage;
}

// Links and interfaces come by the hundred: as their mean, until somebody wants to see each.
function foldedAtFirst(model) {
  const keys = model.runs.flatMap((run) => {
    const group = run.groups.indexOf("network");
    const rows = new Set(run.lanes.filter((lane) => lane.group === group).map((lane) => lane.row));
    return rows.size > 24 ? [`${run.number}.${group}`] : [];
  });
  return new Set(keys);
}

// Takes the size it has on the screen; says whether it changed.
export function fit(stage) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const width = stage.frame.clientWidth;
  const height = stage.frame.clientHeight;
  stage.gutter = width < 700 ? 90 : 160;
  if (width === stage.width && height === stage.height && ratio === stage.ratio) return false;
  Object.assign(stage, { width, height, ratio });
  for (const canvas of [stage.base, stage.sheet]) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  stage.image = null;
  return true;
}

export function arrange(stage) {
  const wanted = Math.max(300, window.innerHeight * 0.62);
  const { strips, height } = layout(stage.model, { folded: stage.folded, mixed: stage.page.get("mixed"), wanted });
  Object.assign(stage, { strips, total: height, middles: middlesOf(stage.model, strips) });
  stage.frame.style.height = `${Math.min(height + AXIS + 4, wanted + AXIS)}px`;
  stage.spacer.style.height = `${height + AXIS}px`;
}

// Where each lane of each run stands, for arrows: its middle, or that of the row that stands for its folded group.
function middlesOf(model, strips) {
  const middles = model.runs.map((run) => new Float32Array(run.lanes.length).fill(NaN));
  for (const { run, y, height, lanes = [], mean = [] } of strips) {
    for (const placed of lanes) middles[run.number][placed.lane.lane] = y + placed.y + 2 + placed.height / 2;
    for (const lane of mean) middles[run.number][lane.lane] = y + height / 2;
  }
  return middles;
}

export function restyle(stage) {
  const style = getComputedStyle(document.documentElement);
  const colour = (key) => style.getPropertyValue(`--${key}`).trim();
  stage.theme = stage.page.theme();
  const names = ["ink", "soft", "paper", "line", "lane", "accent", "run-0", "run-1", "run-2", "run-3"];
  stage.colours = Object.fromEntries(names.map((key) => [key, colour(key)]));
  stage.paints = paintsOf(stage.model.states, stage.theme, stage.colours.paper);
}

export function draw(stage) {
  const began = performance.now();
  const context = stage.base.getContext("2d", { alpha: false });
  const labels = paintImage(stage, context);
  context.setTransform(stage.ratio, 0, 0, stage.ratio, 0, 0);
  drawLabels(stage, context, labels);
  drawNames(stage, context);
  drawBounds(stage, context);
  drawAxis(stage, context);
  if (!stage.drawn) performance.mark("timeline drawn");
  stage.drawn += 1;
  // What a sharp frame costs, in milliseconds; a hurried one tells little of it, so what was known fades slowly.
  const took = (stage.took = performance.now() - began);
  stage.cost = stage.hurried ? Math.max(took * stage.step, 0.98 * stage.cost) : took;
}

// The image for the size the stage has; coarse while the view moves and sharp frames would take too long.
function prepareImage(stage, context) {
  const { ratio, base, model } = stage;
  stage.hurried = stage.moving && stage.cost > SLOW;
  stage.step = stage.hurried ? Math.min(4, Math.ceil(stage.cost / SLOW)) : 1;
  const [width, rows] = [Math.max(1, Math.ceil((base.width - Math.round(stage.gutter * ratio)) / stage.step)), base.height];
  if (stage.image && stage.image.width === width && stage.image.rows === rows) return;
  const data = context.createImageData(width, rows);
  stage.image = { data, pixels: new Int32Array(data.data.buffer), width, rows };
  stage.buffer = shareBuffer(width, 2 * model.states.length);
  [stage.scaled.width, stage.scaled.height] = [width, rows];
}

function paintImage(stage, context) {
  const { ratio, base } = stage;
  prepareImage(stage, context);
  const { image } = stage;
  image.pixels.fill(packed(stage.colours.paper));
  const scroll = stage.frame.scrollTop - AXIS;
  const labels = [];
  for (const strip of visible(stage)) {
    const top = Math.round((strip.y - scroll) * ratio);
    const height = Math.round((strip.y + strip.height - scroll) * ratio) - top;
    const paper = packed(stage.colours[`run-${strip.run.number % 4}`]);
    fillRows(image, top, height, strip.kind === "group" ? packed(stage.colours.lane) : paper);
    if (strip.kind === "row") paintStrip(stage, strip, top, labels, scroll);
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = stage.colours.paper;
  context.fillRect(0, 0, base.width, base.height);
  const left = Math.round(stage.gutter * ratio);
  if (stage.step === 1) {
    context.putImageData(image.data, left, 0);
  } else {
    stage.scaled.getContext("2d").putImageData(image.data, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(stage.scaled, left, 0, image.width * stage.step, image.rows);
  }
  return labels;
}

function fillRows(image, top, height, colour) {
  const [from, to] = [Math.max(0, top), Math.min(image.rows, top + height)];
  if (from < to) image.pixels.fill(colour, from * image.width, to * image.width);
}

function paintStrip(stage, strip, top, labels, scroll) {
  const { image, buffer, ratio, paints, view } = stage;
  const columns = (stage.base.width - Math.round(stage.gutter * ratio)) / stage.step;
  const window_ = { from: view[0] - strip.run.shift, scale: columns / (view[1] - view[0]) };
  const source = sourceFor(stage, strip.run, 1 / window_.scale);
  if (strip.mean) {
    clear(buffer);
    for (const lane of strip.mean) addLane(buffer, source, source.lanes[lane.lane], window_, stage.looks, 1 / strip.rows, null);
    paintLane(image, buffer, top + Math.round(2 * ratio), Math.round((strip.height - 4) * ratio), paints);
    return;
  }
  for (const { lane, y, height } of strip.lanes) {
    clear(buffer);
    const found = [];
    addLane(buffer, source, source.lanes[lane.lane], window_, stage.looks, 1, height >= 11 ? found : null);
    paintLane(image, buffer, Math.round((strip.y + y - scroll + 2) * ratio), Math.round(height * ratio), paints);
    for (const label of found) labels.push({ ...label, y: strip.y + y - scroll + 2, height });
  }
}

// What a frame is drawn from: while it is in a hurry, items no finer than a column; a search looks at every item.
function sourceFor(stage, run, columnSeconds) {
  const found = detailFor(stage, run);
  return stage.hurried && !stage.matched ? coarser(found, columnSeconds, stage.model.states.length) : found;
}

// The finer items that a server gave for a part of time, where they cover what is looked at.
export function detailFor(stage, run) {
  const [from, to] = stage.view.map((time) => time - run.shift);
  const finer = run.finer;
  return finer && finer.from <= from && finer.to >= to ? finer : run;
}
