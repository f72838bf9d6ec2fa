// What a part of time adds up to, by operation, rank, file or function. Levels and layers are never added up: a call, the
// system calls inside it and the server's work for it are the same moment.

import { detail, sums } from "../timeline/model.js";

const BUNDLED = "in bundles: zoom in, or serve the page, to tell them apart";

// How a line is called: of a single bar, and of a part of a bundle, which knows its state and lane alone.
export const PIVOTS = {
  operation: (model, run) => ({
    single: (item) => model.states[run.state[item]].key,
    part: (state) => model.states[state].key,
  }),
  rank: (model, run) => ({ single: (item, lane) => run.rows[lane.row], part: (state, lane) => run.rows[lane.row] }),
  file: (model, run) => ({ single: (item) => run.files[detail(run, item, "file") ?? -1] ?? "no file", part: () => BUNDLED }),
  function: (model, run) => ({
    single: (item) => run.functions[detail(run, item, "function") ?? -1] || model.states[run.state[item]].name,
    part: () => BUNDLED,
  }),
};

// { title, level, layer } of every kind of lane that some run has, calls of ranks first.
export function scopesOf(model) {
  const found = new Map();
  for (const run of model.runs) {
    for (const { level, layer } of run.lanes) {
      const title = level === 0 ? `${model.layers[layer]} of ranks` : model.levels[level];
      found.set(title, { title, level, layer });
    }
  }
  const order = ({ level, layer }) => 10 * level + [2, 0, 1, 3][layer];
  return [...found.values()].sort((one, other) => order(one) - order(other));
}

// How many rows have such lanes, and the lines in the order of their time.
export function pivoted(model, run, from, to, key, scope) {
  const [begin, end] = [from - run.shift, to - run.shift];
  const source = run.finer && run.finer.from <= begin && run.finer.to >= end ? run.finer : run;
  const lanes = source.lanes.filter((lane) => scope && lane.level === scope.level && lane.layer === scope.layer);
  const { single, part } = PIVOTS[key](model, source);
  const found = [...sums(source, lanes, begin, end, single, part)].map(([label, sum]) => ({ label, ...sum }));
  found.sort((one, other) => other.seconds - one.seconds);
  return { rows: new Set(lanes.map((lane) => lane.row)).size, lines: found };
}

// The seconds of every state in each run: where it was first asked for, not once more at every level below.
export function addTotals(model) {
  const scopes = scopesOf(model);
  for (const run of model.runs) {
    const known = new Set();
    for (const { level, layer, title } of scopes) {
      const lanes = run.lanes.filter((lane) => lane.level === level && lane.layer === layer);
      const found = sums(run, lanes, -Infinity, Infinity, (item) => run.state[item], (state) => state);
      for (const [state, { seconds }] of found) {
        if (known.has(state)) continue;
        known.add(state);
        model.states[state].seconds[run.number] = seconds;
        model.states[state].scope ??= title;
        model.states[state].level ??= level;
      }
    }
  }
}
