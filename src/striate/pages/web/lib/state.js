// What all views of a page share, who wants to know of changes, and the part of it that the address keeps.
//
// Keys: time [from, to] in seconds or null for all, selection [from, to] or null, hidden (a Set of states: their names, or "region NAME"),
// query (text searched), align ("start", "end", or "region NAME"), theme ("light", "dark" or "auto"),
// mixed (rows of runs interleaved), marks ([{ name, time }]: bookmarks).

const START = { time: null, marks: [], selection: null, hidden: new Set(), query: "", align: "start", theme: "auto", mixed: false };
const SHORT = { time: "t", marks: "b", selection: "s", hidden: "hide", query: "q", align: "align", theme: "theme", mixed: "mixed" };

const MOST_MARKS = 50;

export function sharedState(address) {
  const state = { ...START, ...parsed(address.hash) };
  const listeners = new Map();
  return {
    get: (key) => state[key],
    set(key, value) {
      state[key] = value;
      for (const listener of listeners.get(key) ?? []) listener(value);
      for (const listener of listeners.get("*") ?? []) listener(key);
    },
    on(key, listener) {
      if (!listeners.has(key)) listeners.set(key, []);
      listeners.get(key).push(listener);
    },
    hash: () => formatted(state),
    adopt(hash) {
      for (const [key, value] of Object.entries({ ...START, ...parsed(hash) })) this.set(key, value);
    },
  };
}

function formatted(state) {
  const parts = [];
  const put = (key, text) => parts.push(`${SHORT[key]}=${encodeURIComponent(text).replaceAll("%2C", ",")}`);
  const ends = (times) => times.map((value) => String(Number(value.toPrecision(12)))).join(",");
  for (const key of ["time", "selection"]) if (state[key]) put(key, ends(state[key]));
  if (state.marks.length) put("marks", state.marks.map(({ name, time }) => `${ends(time)},${encodeURIComponent(name)}`).join(","));
  if (state.hidden.size) put("hidden", [...state.hidden].map(encodeURIComponent).join(","));
  for (const key of ["query", "align", "theme"]) if (state[key] !== START[key]) put(key, state[key]);
  if (state.mixed) put("mixed", "1");
  return parts.length ? `#${parts.join("&")}` : "";
}

function parsed(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const found = {};
  for (const key of ["time", "selection"]) {
    const ends = (given.get(SHORT[key]) ?? "").split(",").map(Number);
    if (ends.length === 2 && isPartOfTime(ends)) found[key] = ends;
  }
  const marks = markList((given.get(SHORT.marks) ?? "").split(","));
  if (marks.length) found.marks = marks;
  const hidden = given.get(SHORT.hidden);
  if (hidden) found.hidden = new Set(hidden.split(",").map(decoded));
  for (const key of ["query", "align"]) if (given.get(SHORT[key])) found[key] = given.get(SHORT[key]);
  if (["light", "dark"].includes(given.get(SHORT.theme))) found.theme = given.get(SHORT.theme);
  if (given.get(SHORT.mixed)) found.mixed = true;
  return found;
}

const isPartOfTime = ([from, to]) => Number.isFinite(from) && Number.isFinite(to) && from < to;

// Bookmarks as the address has them: from, to, name; from, to, name; ...
function markList(parts) {
  const found = [];
  for (let at = 0; at + 2 < parts.length && found.length < MOST_MARKS; at += 3) {
    const time = [Number(parts[at]), Number(parts[at + 1])];
    if (isPartOfTime(time)) found.push({ time, name: decoded(parts[at + 2]).slice(0, 80) });
  }
  return found;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
