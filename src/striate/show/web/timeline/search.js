// Finds items by the names of their state, function, file or region; what is not found fades.

import { detail } from "../timeline/model.js";

// For every run one byte an item: 1 where it matches; null when there is nothing to search for.
export function matches(model, query) {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return null;
  const has = (names) => names.map((text) => text.toLowerCase().includes(wanted));
  const states = has(model.states.map((state) => state.name));
  return model.runs.map((run) => matchItems(run, states, { file: has(run.files), function: has(run.functions), region: has(run.regions) }));
}

export function matchItems(run, states, named) {
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

// Matches in the order of time: [{ run, item }], at most `most`, and how many there are.
export function listed(model, found, most = 20000) {
  const all = [];
  let count = 0;
  model.runs.forEach((run, number) => {
    for (let item = 0; item < run.state.length; item++) {
      if (!found[number][item]) continue;
      count += 1;
      if (all.length < most) all.push({ run, item });
    }
  });
  all.sort((one, other) => one.run.start[one.item] + one.run.shift - other.run.start[other.item] - other.run.shift);
  return { all, count };
}
