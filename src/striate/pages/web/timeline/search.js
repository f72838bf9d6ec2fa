// Finds items by the names of their state, function, file or region; what is not found fades.

import { detail } from "../timeline/model.js";

// Marks the items of all runs, `run.found`: 1 where one matches; null when there is nothing to search for.
export function markMatches(model, query) {
  const wanted = query.trim().toLowerCase();
  const has = (names) => names.map((text) => text.toLowerCase().includes(wanted));
  const states = has(model.states.map((state) => state.name));
  for (const run of model.runs) {
    const named = { file: has(run.files), function: has(run.functions), region: has(run.regions) };
    for (const part of [run, run.finer]) if (part) part.found = wanted ? matchItems(part, states, named) : null;
  }
}

function matchItems(run, states, named) {
  const found = new Uint8Array(run.state.length);
  const keys = Object.keys(named).filter((key) => named[key].some(Boolean) && run.details[key]);
  const { first, state } = run.parts;
  for (let item = 0; item < found.length; item++) {
    if (run.state[item] >= 0) {
      found[item] = states[run.state[item]] || keys.some((key) => named[key][detail(run, item, key)]) ? 1 : 0;
    } else {
      const place = run.place[item];
      for (let part = first[place]; part < first[place + 1]; part++) if (states[state[part]]) found[item] = 1;
    }
  }
  return found;
}

// Matches in the order of time: all: [{ run, item }] up to `most`, and their count; null when nothing is searched for.
export function listed(model, most = 20000) {
  if (model.runs.every((run) => !run.found)) return null;
  const all = [];
  let count = 0;
  for (const run of model.runs) {
    for (let item = 0; item < run.found.length; item++) {
      if (!run.found[item]) continue;
      count += 1;
      if (all.length < most) all.push({ run, item });
    }
  }
  all.sort((one, other) => one.run.start[one.item] + one.run.shift - other.run.start[other.item] - other.run.shift);
  return { all, count };
}
