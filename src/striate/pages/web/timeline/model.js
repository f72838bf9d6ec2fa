// The runs of a timeline, ready to draw: items in seconds, lanes as ranges of items, states numbered over all runs.
//
// An item is a single bar or a bundle of short ones; `place` leads to its details, or to its parts.

export function modelOf(data) {
  const states = [];
  const runs = data.runs.map((run, number) => runModel(run, number, partOf(data.columns, `${number}.`), data, states));
  return { runs, states, bounds: data.bounds, layers: data.layers, levels: data.levels };
}

export function partOf(columns, prefix) {
  const names = Object.keys(columns).filter((name) => name.startsWith(prefix));
  return Object.fromEntries(names.map((name) => [name.slice(prefix.length), columns[name]]));
}

export function runModel(run, number, columns, data, states) {
  const codes = run.states.map((name, at) => stateNumber(states, name, run.categories[at], number));
  return { ...run, number, shift: 0, codes, lanes: lanesOf(run, columns), ...itemsOf(columns, run.tickSeconds, codes, data) };
}

function stateNumber(states, name, category, run) {
  const key = category === "region" ? `region ${name}` : name; // a region may have the name of an operation
  let found = states.findIndex((state) => state.key === key);
  if (found < 0) found = states.push({ key, name, category, seconds: [], number: states.length }) - 1;
  states[found].seconds[run] ??= 0;
  return found;
}

function lanesOf(run, columns) {
  return Array.from(columns.rowOfLane, (row, lane) => ({
    row, lane, layer: columns.layerOfLane[lane], level: columns.levelOfLane[lane], group: columns.groupOfRow[row],
    first: columns.firstOfLane[lane], last: columns.firstOfLane[lane + 1],
  }));
}

export function itemsOf(columns, tickSeconds, codes, data) {
  const count = columns.state.length;
  const [start, end] = [new Float64Array(count), new Float64Array(count)];
  const [state, place] = [new Int16Array(count), new Int32Array(count)];
  let [at, single, bundle] = [0, 0, 0];
  for (let item = 0; item < count; item++) {
    at += columns.gap[item];
    start[item] = at * tickSeconds;
    at += columns.length[item];
    end[item] = at * tickSeconds;
    const code = columns.state[item];
    state[item] = code < 0 ? -1 : codes[code];
    place[item] = code < 0 ? bundle++ : single++;
  }
  const parts = {
    first: Int32Array.from(columns.firstPart),
    state: Int16Array.from(columns.partState, (code) => codes[code]),
    share: Float32Array.from(columns.partShare, (share) => share / data.shares),
    count: columns.partCount,
    bytes: columns.partBytes,
  };
  const arrows = Array.from(columns.arrowFrom ?? [], (from, at) => ({
    from, to: columns.arrowTo[at], start: columns.arrowStart[at] * tickSeconds,
    end: (columns.arrowStart[at] + columns.arrowLength[at]) * tickSeconds,
  }));
  return { start, end, state, place, parts, arrows, details: columns };
}

// A detail of a single bar; columns in which all rows agree hold one value.
export function detail(run, item, name) {
  const column = run.details[name];
  if (!column || !column.length) return undefined;
  return column[column.length === 1 ? 0 : run.place[item]];
}

// The first item of [first, last) that ends after `time`; items of a lane lie apart, so ends rise as starts do.
export function firstEndingAfter(run, first, last, time) {
  let [low, high] = [first, last];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.end[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Seconds, operations and bytes in [from, to] of the run's own time, by what `keyOf(item, lane)` says of single bars and
// `keyOfPart(state, lane)` of the parts of bundles: Map of key -> { seconds, count, bytes }.
export function sums(run, lanes, from, to, keyOf, keyOfPart) {
  const found = new Map();
  const add = (key, seconds, count, bytes) => {
    let sum = found.get(key);
    if (!sum) found.set(key, (sum = { seconds: 0, count: 0, bytes: 0 }));
    sum.seconds += seconds;
    sum.count += count;
    sum.bytes += bytes;
  };
  for (const lane of lanes) {
    const { first, last } = lane;
    for (let item = firstEndingAfter(run, first, last, from); item < last && run.start[item] < to; item++) {
      const length = run.end[item] - run.start[item];
      const inside = Math.min(run.end[item], to) - Math.max(run.start[item], from);
      const share = length > 0 ? inside / length : 1;
      if (run.state[item] >= 0) {
        add(keyOf(item, lane), inside, 1, (detail(run, item, "bytes") ?? 0) * share);
        continue;
      }
      const { first: firstPart, state, share: part, count, bytes } = run.parts;
      for (let at = firstPart[run.place[item]]; at < firstPart[run.place[item] + 1]; at++) {
        add(keyOfPart(state[at], lane), part[at] * inside, count[at] * share, bytes[at] * share);
      }
    }
  }
  return found;
}
