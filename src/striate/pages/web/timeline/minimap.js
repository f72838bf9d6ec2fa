// The whole of time in a strip over the timeline: the mean of all ranks, and which part is looked at, to be dragged.

import { element } from "../lib/dom.js";
import { packed, paintLane } from "../timeline/raster.js";
import { addLane, clear, shareBuffer } from "../timeline/shares.js";

const HEIGHT = 36; // CSS pixels, of all runs
const LEAST = 4; // pixels of the part looked at, however narrow

export function minimap(stage, act) {
  const canvas = element("canvas", { class: "minimap", role: "img", "aria-label": "The whole of time; the frame is the part looked at, drag it" });
  let [picture, planned] = [null, false];

  const wide = () => stage.width - stage.gutter;
  const pixel = (time) => ((time - stage.extent[0]) / (stage.extent[1] - stage.extent[0])) * wide();
  const time = (x) => stage.extent[0] + (x / wide()) * (stage.extent[1] - stage.extent[0]);

  // Painted in a frame of its own: it reads every item once.
  function repaint() {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      picture = painted(stage, Math.max(1, Math.round(wide())));
      move();
    });
  }

  function move() {
    if (!picture) return;
    const context = canvas.getContext("2d");
    if (canvas.width !== picture.width) {
      [canvas.width, canvas.height] = [picture.width, HEIGHT];
      canvas.style.width = `${picture.width}px`;
      canvas.style.marginLeft = `${stage.gutter + 1}px`;
    }
    context.putImageData(picture, 0, 0);
    const [left, right] = frameOf(stage, pixel);
    context.fillStyle = stage.colours.paper;
    context.globalAlpha = 0.6;
    context.fillRect(0, 0, left, HEIGHT);
    context.fillRect(right, 0, picture.width - right, HEIGHT);
    context.globalAlpha = 1;
    const selection = stage.page.get("selection");
    context.fillStyle = stage.colours.accent;
    if (selection) context.fillRect(pixel(selection[0]), 0, Math.max(2, pixel(selection[1]) - pixel(selection[0])), 4);
    context.strokeStyle = stage.colours.accent;
    context.lineWidth = 2;
    context.strokeRect(left + 1, 1, right - left - 2, HEIGHT - 2);
  }

  listen(canvas, stage, act, { pixel, time });
  return { canvas, repaint, move };
}

function frameOf(stage, pixel) {
  const [left, right] = stage.view.map(pixel);
  const middle = (left + right) / 2;
  return right - left >= LEAST ? [left, right] : [middle - LEAST / 2, middle + LEAST / 2];
}

function listen(canvas, stage, act, { pixel, time }) {
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const [from, to] = stage.view;
    const [left, right] = frameOf(stage, pixel);
    const inside = event.offsetX >= left && event.offsetX <= right;
    drag = { held: inside ? time(event.offsetX) - from : (to - from) / 2, span: to - from };
    canvas.setPointerCapture(event.pointerId);
    if (!inside) follow(event);
  });
  const follow = (event) => {
    if (!drag) return;
    const from = time(event.offsetX) - drag.held;
    act.look([from, from + drag.span]);
  };
  canvas.addEventListener("pointermove", follow);
  canvas.addEventListener("pointerup", () => (drag = null));
  canvas.addEventListener("pointercancel", () => (drag = null));
  canvas.addEventListener("dblclick", () => act.look(stage.extent));
}

// A band a run: shares of time of the calls of its ranks, in the mean.
function painted(stage, width) {
  const { model, colours } = stage;
  const data = new ImageData(width, HEIGHT);
  const image = { pixels: new Int32Array(data.data.buffer), width, rows: HEIGHT };
  image.pixels.fill(packed(colours.lane));
  const buffer = shareBuffer(width, 2 * model.states.length);
  const band = Math.floor(HEIGHT / model.runs.length);
  model.runs.forEach((run, at) => {
    const lanes = overviewLanes(run);
    const rows = new Set(lanes.map((lane) => lane.row)).size;
    const view = { from: stage.extent[0] - run.shift, scale: width / (stage.extent[1] - stage.extent[0]) };
    clear(buffer);
    for (const lane of lanes) addLane(buffer, run, lane, view, stage.looks, 1 / rows, null);
    paintLane(image, buffer, at * band, Math.max(1, band - 1), stage.paints);
  });
  return data;
}

// Calls of ranks, or what else a run has.
function overviewLanes(run) {
  const ranks = run.lanes.filter((lane) => lane.level === 0);
  const mine = ranks.length ? ranks : run.lanes;
  const calls = mine.filter((lane) => lane.layer === 1);
  return calls.length ? calls : mine;
}
