// Where rows and lanes stand: groups of rows under a heading, runs one below the other or interleaved.

export const LANE = 15; // CSS pixels, of a lane of calls; regions, system calls and steps are a little lower
const HEIGHTS = [12, LANE, 11, 10];
const THIN = 3;
const GAP = 5;
const CROWD = 150; // rows from which on an overview is worth more than names
export const HEADING = 24;

// Strips to draw, in order: { kind: "group" | "row", y, height, label, run, group, lanes: [{ lane, y, height }] }.
export function layout(model, { folded, mixed, wanted }) {
  const sections = model.runs.flatMap((run) => groupsOf(run));
  const many = sections.reduce((count, { key, rows }) => count + (folded.has(key) ? 1 : rows.length), 0);
  const scale = Math.max(Math.min(1, wanted / Math.max(many * (LANE + GAP), 1)), many > CROWD ? 0.25 : 0.7);
  const ordered = mixed ? interleaved(sections) : sections.map((section) => [section]);
  const strips = [];
  let y = 0;
  const push = (strip) => {
    strips.push({ ...strip, y });
    y += strip.height;
  };
  for (const together of ordered) {
    for (const { run, group, key, rows } of together) {
      push({ kind: "group", height: HEADING, run, group, key, label: run.groups[group], rows, folded: folded.has(key) });
    }
    const shown = together.filter(({ key }) => !folded.has(key));
    for (const { run, rows } of together.filter(({ key }) => folded.has(key))) push(foldedRow(run, rows));
    const longest = Math.max(0, ...shown.map(({ rows }) => rows.length));
    for (let at = 0; at < longest; at++) {
      for (const { run, rows } of shown) if (rows[at]) push(rowStrip(run, rows[at], scale));
    }
  }
  return { strips, height: y };
}

function groupsOf(run) {
  const groups = new Map();
  for (const lane of run.lanes) {
    if (!groups.has(lane.group)) groups.set(lane.group, new Map());
    const rows = groups.get(lane.group);
    if (!rows.has(lane.row)) rows.set(lane.row, []);
    rows.get(lane.row).push(lane);
  }
  return [...groups].sort(([a], [b]) => a - b).map(([group, rows]) => ({
    run, group, key: `${run.number}.${group}`, rows: [...rows].map(([row, lanes]) => ({ row, lanes })),
  }));
}

// Groups of the same place in their runs side by side, so that rank 0 of one run stands over rank 0 of the other.
function interleaved(sections) {
  const byGroup = new Map();
  for (const section of sections) {
    const place = section.group;
    if (!byGroup.has(place)) byGroup.set(place, []);
    byGroup.get(place).push(section);
  }
  return [...byGroup.values()];
}

function rowStrip(run, { row, lanes }, scale) {
  let y = 0;
  const placed = lanes.map((lane) => {
    const crowd = lanes.filter(({ layer }) => layer === lane.layer).length;
    const height = Math.max(THIN, Math.round(HEIGHTS[lane.layer] * scale * (crowd > 4 ? 4 / crowd : 1)));
    const at = { lane, y, height };
    y += height + (scale < 0.5 ? 0 : 1);
    return at;
  });
  return { kind: "row", run, label: run.rows[row], lanes: placed, height: y + Math.max(1, Math.round(GAP * scale)) };
}

// All rows of a folded group as one: the mean of their calls, or of the layer they have.
function foldedRow(run, rows) {
  const lanes = rows.flatMap(({ lanes: all }) => all);
  const layer = lanes.some((lane) => lane.layer === 1) ? 1 : lanes[0].layer;
  return {
    kind: "row", run, label: `mean of ${rows.length}`, mean: lanes.filter((lane) => lane.layer === layer),
    rows: rows.length, lanes: [], height: 2 * LANE + GAP,
  };
}

export function stripAt(strips, y) {
  const strip = strips[firstBelow(strips, y)];
  return strip && y >= strip.y ? strip : undefined;
}

// The first strip that ends below `y`; there may be a hundred thousand of them.
export function firstBelow(strips, y) {
  let [low, high] = [0, strips.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (strips[middle].y + strips[middle].height > y) high = middle;
    else low = middle + 1;
  }
  return low;
}
