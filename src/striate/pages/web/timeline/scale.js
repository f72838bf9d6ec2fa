// Time and pixels: which part of time is looked at, how far it may go, and where its ticks stand.

const NARROWEST = 1e-11; // seconds across the whole width

// The whole of time: from the earliest to the latest moment of all runs where they are aligned.
export function extentOf(model) {
  let [from, to] = [0, 0];
  for (const run of model.runs) {
    const { first, last } = spanOf(run);
    from = Math.min(from, first + run.shift);
    to = Math.max(to, last + run.shift, run.seconds + run.shift);
  }
  for (const { high, estimate } of model.bounds) to = Math.max(to, Math.min(high, 1.5 * to), Math.min(estimate, 3 * to));
  return [from, to > from ? to + (to - from) * 0.01 : from + 1];
}

function spanOf(run) {
  if (run.span) return run.span;
  let [first, last] = [Infinity, -Infinity];
  for (const lane of run.lanes) {
    if (lane.first === lane.last) continue;
    first = Math.min(first, run.start[lane.first]);
    last = Math.max(last, run.end[lane.last - 1]);
  }
  run.span = first <= last ? { first, last } : { first: 0, last: 0 };
  return run.span;
}

// Puts every run where `align` wants it: by starts, by ends, or by the first start of a region.
export function align(model, how) {
  const ends = model.runs.map((run) => run.seconds || spanOf(run).last); // times count from the run's beginning
  const marks = model.runs.map((run, at) => {
    if (how === "end") return ends[at];
    if (how.startsWith("region ")) return run.regionStarts[run.regions.indexOf(how.slice("region ".length))] ?? 0;
    return 0;
  });
  const latest = Math.max(...marks);
  model.runs.forEach((run, at) => {
    run.shift = latest - marks[at];
    if (run.finer) run.finer.shift = run.shift;
  });
}

export function zoomed([from, to], factor, around, extent) {
  return kept([around - (around - from) * factor, around + (to - around) * factor], extent);
}

export function panned([from, to], by, extent) {
  return kept([from + by, to + by], extent);
}

// Inside the extent, neither wider nor too narrow to tell moments apart.
export function kept([from, to], [first, last]) {
  const whole = last - first;
  const narrowest = Math.max(NARROWEST, Math.max(Math.abs(first), Math.abs(last)) * 1e-13);
  const span = Math.min(Math.max(to - from, narrowest), whole);
  const middle = (from + to) / 2;
  const left = Math.min(Math.max(middle - span / 2, first), last - span);
  return [left, left + span];
}

// Moments at 1, 2 or 5 times a power of ten, about `room` pixels apart.
export function ticks(from, to, width, room = 110) {
  const rough = ((to - from) * room) / width;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough);
  const found = [];
  for (let number = Math.ceil(from / step - 1e-9); number * step <= to; number++) found.push(number * step);
  return { step, moments: found };
}
