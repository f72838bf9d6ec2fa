// What one lane shows in every pixel column: a bar that fills it, or the share of time of each state.

import { firstEndingAfter } from "../timeline/model.js";

const WIDE = 2; // pixels: bars from here on have crisp edges, narrower ones add to the shares of their columns

// Reused for all lanes of a frame: `full[x]` is a state or -1, `shares[state * width + x]` a share of the column.
export function shareBuffer(width, states) {
  return {
    width, full: new Int16Array(width), edge: new Uint8Array(width), shares: new Float32Array(states * width),
    touched: [], some: new Uint8Array(width), seen: new Uint8Array(states), states,
  };
}

export function clear(buffer) {
  const { width, shares, touched, seen } = buffer;
  buffer.full.fill(-1);
  buffer.edge.fill(0);
  buffer.some.fill(0);
  for (const state of touched) {
    shares.fill(0, state * width, (state + 1) * width);
    seen[state] = 0;
  }
  touched.length = 0;
}

// Adds the items of a lane; `view` has from (seconds, of the run) and scale (pixels per second); `looks.of(item, state)`
// gives the state to draw, or -1 to leave it out. Wide single bars go to `labels`.
export function addLane(buffer, run, lane, view, looks, weight, labels) {
  const { width } = buffer;
  const to = view.from + width / view.scale;
  let item = firstEndingAfter(run, lane.first, lane.last, view.from);
  // Bars of no length end where they start: step back over those that stand at the edge.
  while (item > lane.first && run.start[item - 1] >= view.from) item--;
  for (; item < lane.last && run.start[item] < to; item++) {
    const left = (run.start[item] - view.from) * view.scale;
    const right = (run.end[item] - view.from) * view.scale;
    if (run.state[item] >= 0) {
      const state = looks(run, item, run.state[item]);
      if (state < 0) continue;
      if (right - left >= WIDE && weight === 1) wideBar(buffer, item, left, right, state, labels);
      else addShare(buffer, left, right, state, weight);
    } else {
      const { first, state, share } = run.parts;
      const place = run.place[item];
      for (let part = first[place]; part < first[place + 1]; part++) {
        const shown = looks(run, item, state[part]);
        if (shown >= 0) addShare(buffer, left, right, shown, share[part] * weight);
      }
    }
  }
}

function wideBar(buffer, item, left, right, state, labels) {
  const from = Math.max(0, Math.round(left));
  const to = Math.min(buffer.width, Math.round(right));
  buffer.full.fill(state, from, to);
  if (from < to && left >= 0) buffer.edge[from] = right - left >= 4 ? 1 : 0;
  if (labels && to - from > 34) labels.push({ item, from, to, state });
}

function addShare(buffer, left, right, state, weight) {
  const { width, shares, some } = buffer;
  if (!buffer.seen[state]) {
    buffer.seen[state] = 1;
    buffer.touched.push(state);
  }
  const base = state * width;
  const first = Math.max(0, Math.floor(left));
  const last = Math.min(width - 1, Math.floor(right));
  if (first > last) return;
  if (first === last) {
    shares[base + first] += Math.max((Math.min(right, width) - Math.max(left, 0)) * weight, 1e-6);
    some[first] = 1;
    return;
  }
  for (let x = first; x <= last; x++) {
    const inside = Math.min(right, x + 1) - Math.max(left, x);
    if (inside <= 0) continue;
    shares[base + x] += inside * weight;
    some[x] = 1;
  }
}
