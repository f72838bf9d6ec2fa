// The whole of time in a strip over the timeline: the mean of all ranks, and which part is looked at, to be dragged.

import { element } from "../lib/dom.js";
import { packed, paintLane } from "../timeline/raster.js";
import { addLane, clear, shareBuffer } from "../timeline/shares.js";

const HEIGHT = 36; // CSS pixels, of all runs
const LEAST = 4; // pixels of the part looked at, however narrow

export function minimap(stage, act) {
  const canvas = element("canvas", { height: HEIGHT, role: "img", "aria-label": "The whole run; drag the frame to move the visible part" });
  const strip = element("div", { class: "minimap" }, canvas);
  let [planned, picture] = [false, null];

  const wide = () => Math.max(1, Math.round(stage.width - stage.gutter));
  const pixel = (time) => ((time - stage.extent[0]) / (stage.extent[1] - stage.extent[0])) * wide();
  const time = (x) => stage.extent[0] + (x / wide()) * (stage.extent[1] - stage.extent[0]);

  // Painted in a frame of its own: it reads every item once.
  function repaint() {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      canvas.width = wide();
      strip.style.width = `${wide()}px`;
      strip.style.marginLeft = `${stage.gutter + 1}px`;
      picture = painted(stage, wide());
      move();
    });
  }

  // The frame is drawn, not an element: to move one, the browser would lay out and paint the document in every frame.
  function move() {
    if (!picture) return;
    const context = canvas.getContext("2d", { alpha: false });
    context.putImageData(picture, 0, 0);
    context.strokeStyle = context.fillStyle = stage.colours.accent;
    context.lineWidth = 2;
    const [left, right] = frameOf(stage, pixel);
    context.strokeRect(left + 1, 1, right - left - 2, HEIGHT - 2);
    const selection = stage.page.get("selection")?.map(pixel);
    if (selection) context.fillRect(selection[0], 0, Math.max(LEAST, selection[1] - selection[0]), 4);
  }

  listen(strip, stage, act, { pixel, time });
  return { strip, repaint, move };
}

function frameOf(stage, pixel) {
  const [left, right] = stage.view.map(pixel);
  const middle = (left + right) / 2;
  return right - left >= LEAST ? [left, right] : [middle - LEAST / 2, middle + LEAST / 2];
}

function listen(strip, stage, act, { pixel, time }) {
  let drag = null;
  const at = (event) => event.clientX - strip.getBoundingClientRect().left;
  strip.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const [from, to] = stage.view;
    const [left, right] = frameOf(stage, pixel);
    const inside = at(event) >= left && at(event) <= right;
    drag = { held: inside ? time(at(event)) - from : (to - from) / 2, span: to - from };
    strip.setPointerCapture(event.pointerId);
    if (!inside) follow(event);
  });
  const follow = (event) => {
    if (!drag) return;
    const from = time(at(event)) - drag.held;
    act.look([from, from + drag.span]);
  };
  strip.addEventListener("pointermove", follow);
  strip.addEventListener("pointerup", () => (drag = null));
  strip.addEventListener("pointercancel", () => (drag = null));
  strip.addEventListener("dblclick", () => act.look(stage.extent));
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
