// Coarser items for frames that are drawn while the view moves: what begins within one column of pixels is one bundle.

const TIMES = 4; // from one width that is kept ready to the next
const WORTH = 0.7; // of the items, that a coarser level may have at most to be kept

// The run with bundles of at most `seconds`; the run itself where that would not make it much smaller.
export function coarser(run, seconds, states) {
  const level = Math.floor(Math.log(seconds) / Math.log(TIMES));
  run.coarse ??= new Map();
  if (!run.coarse.has(level)) run.coarse.set(level, isWorthwhile(run, TIMES ** level) ? bundledBy(run, TIMES ** level, states) : run);
  return run.coarse.get(level);
}

// A lane has at most one bundle in every `width`: whether all items are more than that.
function isWorthwhile(run, width) {
  let most = 0;
  for (const { first, last } of run.lanes) {
    if (first < last) most += Math.min(last - first, (run.end[last - 1] - run.start[first]) / width + 1);
  }
  return most < WORTH * run.state.length;
}

// Makes what an overview of the whole run needs before somebody moves it, a level at a time, while nothing else is to do.
export function prepare(runs, seconds, states) {
  const waiting = runs.flatMap((run) => [1, TIMES].map((times) => () => coarser(run, seconds / times, states)));
  const next = () => {
    waiting.shift()?.();
    if (waiting.length) setTimeout(next, 0);
  };
  setTimeout(next, 0);
}

function bundledBy(run, width, states) {
  const made = emptyItems(run);
  const open = { count: 0, bin: 0, start: 0, end: 0, item: 0, time: new Float64Array(states), touched: [] };
  const lanes = run.lanes.map((lane) => {
    const first = made.items;
    for (let item = lane.first; item < lane.last; item++) {
      if (run.end[item] - run.start[item] >= width) {
        close(made, open, run);
        copy(made, run, item);
        continue;
      }
      const bin = Math.floor(run.start[item] / width);
      if (open.count && bin !== open.bin) close(made, open, run);
      add(open, run, item, bin);
    }
    close(made, open, run);
    return { ...lane, first, last: made.items };
  });
  return finished(run, made, lanes);
}

function emptyItems(run) {
  const [items, parts] = [run.state.length, run.state.length + run.parts.state.length];
  return {
    items: 0, bundles: 0, parts: 0, start: new Float64Array(items), end: new Float64Array(items), state: new Int16Array(items),
    place: new Int32Array(items), first: new Int32Array(items + 1), partState: new Int16Array(parts), partShare: new Float32Array(parts),
  };
}

function add(open, run, item, bin) {
  if (!open.count) [open.bin, open.start] = [bin, run.start[item]];
  open.count += 1;
  open.end = run.end[item];
  open.item = item;
  const length = run.end[item] - run.start[item];
  if (run.state[item] >= 0) {
    addTime(open, run.state[item], length);
    return;
  }
  const { first, state, share } = run.parts;
  for (let part = first[run.place[item]]; part < first[run.place[item] + 1]; part++) addTime(open, state[part], share[part] * length);
}

function addTime({ time, touched }, state, seconds) {
  if (!touched.includes(state)) touched.push(state);
  time[state] += seconds;
}

function close(made, open, run) {
  if (!open.count) return;
  if (open.count === 1) {
    copy(made, run, open.item);
  } else {
    const length = open.end - open.start || 1e-12;
    for (const state of open.touched) addPart(made, state, open.time[state] / length);
    addBundle(made, open.start, open.end);
  }
  for (const state of open.touched) open.time[state] = 0;
  open.touched.length = 0;
  open.count = 0;
}

function copy(made, run, item) {
  if (run.state[item] < 0) {
    const { first, state, share } = run.parts;
    for (let part = first[run.place[item]]; part < first[run.place[item] + 1]; part++) addPart(made, state[part], share[part]);
    addBundle(made, run.start[item], run.end[item]);
    return;
  }
  addItem(made, run.start[item], run.end[item], run.state[item], 0);
}

function addPart(made, state, share) {
  made.partState[made.parts] = state;
  made.partShare[made.parts++] = share;
}

function addBundle(made, start, end) {
  addItem(made, start, end, -1, made.bundles++);
  made.first[made.bundles] = made.parts;
}

function addItem(made, start, end, state, place) {
  made.start[made.items] = start;
  made.end[made.items] = end;
  made.state[made.items] = state;
  made.place[made.items++] = place;
}

function finished(run, made, lanes) {
  const { items, bundles, parts } = made;
  return {
    ...run, lanes, found: null, start: made.start.slice(0, items), end: made.end.slice(0, items), state: made.state.slice(0, items),
    place: made.place.slice(0, items),
    parts: { first: made.first.slice(0, bundles + 1), state: made.partState.slice(0, parts), share: made.partShare.slice(0, parts) },
  };
}
