// From bar to bar by keyboard: the one in the middle of the view, then its neighbours in time and the rows around it.

import { firstEndingAfter } from "../timeline/model.js";
import { visible } from "../timeline/place.js";
import { detailFor } from "../timeline/stage.js";

// What `under` would say of an item, without a pointer.
function at(stage, strip, placed, item) {
  const run = detailFor(stage, strip.run);
  const lane = run.lanes[placed.lane.lane];
  const time = (run.start[item] + run.end[item]) / 2;
  return { strip, run, lane, item, time, y: placed.y + strip.y, height: placed.height };
}

// The bar nearest to a moment on a lane, or null when the lane is empty.
function near(stage, strip, placed, time) {
  const run = detailFor(stage, strip.run);
  const { first, last } = run.lanes[placed.lane.lane];
  if (first === last) return null;
  return at(stage, strip, placed, Math.min(firstEndingAfter(run, first, last, time), last - 1));
}

export function middleBar(stage) {
  for (const strip of visible(stage)) {
    const time = (stage.view[0] + stage.view[1]) / 2 - strip.run.shift;
    for (const placed of strip.lanes ?? []) {
      const found = near(stage, strip, placed, time);
      if (found) return found;
    }
  }
  return null;
}

export function neighbour(stage, pinned, step) {
  const { strip, lane } = pinned;
  const placed = strip.lanes.find((one) => one.lane.lane === lane.lane);
  const item = pinned.item + step;
  return item >= lane.first && item < lane.last ? at(stage, strip, placed, item) : null;
}

// The same moment one lane further down (1) or up (-1).
export function across(stage, pinned, step) {
  const lanes = stage.strips.flatMap((strip) => (strip.lanes ?? []).map((placed) => ({ strip, placed })));
  const here = lanes.findIndex(({ strip, placed }) => strip === pinned.strip && placed.lane.lane === pinned.lane.lane);
  const next = lanes[here + step];
  return here >= 0 && next ? near(stage, next.strip, next.placed, pinned.time + pinned.run.shift - next.strip.run.shift) : null;
}
