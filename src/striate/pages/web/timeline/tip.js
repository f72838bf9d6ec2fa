// What is under the pointer, in words and numbers with units.

import { element, name } from "../lib/dom.js";
import { grouped, rate, seconds, share, size } from "../lib/units.js";
import { stripAt } from "../timeline/layout.js";
import { detail, firstEndingAfter } from "../timeline/model.js";
import { AXIS, plotWidth, timeAt } from "../timeline/place.js";
import { detailFor } from "../timeline/stage.js";

// { run, lane, item, strip, time } at a place on the stage, or null.
export function under(stage, x, y) {
  if (x < stage.gutter || y < AXIS) return null;
  const strip = stripAt(stage.strips, y - AXIS + stage.frame.scrollTop);
  if (!strip || strip.kind !== "row") return null;
  const within = y - AXIS + stage.frame.scrollTop - strip.y - 2;
  const found = strip.lanes.find((lane) => within >= lane.y - 1 && within <= lane.y + lane.height);
  const time = timeAt(stage, x) - strip.run.shift;
  if (!found) return { strip, time, run: strip.run, item: -1 };
  const scale = plotWidth(stage) / (stage.view[1] - stage.view[0]);
  const run = detailFor(stage, strip.run);
  const lane = run.lanes[found.lane.lane];
  return { strip, time, run, lane, item: nearest(run, lane, time, 1.5 / scale), y: found.y + strip.y, height: found.height };
}

// The item at `time`, or the one whose edge is at most `slack` seconds away: thin bars can be pointed at as well.
function nearest(run, lane, time, slack) {
  const at = firstEndingAfter(run, lane.first, lane.last, time);
  if (at < lane.last && run.start[at] <= time) return at;
  const near = [at - 1, at].filter((item) => item >= lane.first && item < lane.last);
  const distance = (item) => Math.min(Math.abs(run.start[item] - time), Math.abs(run.end[item] - time));
  near.sort((one, other) => distance(one) - distance(other));
  return near.length && distance(near[0]) <= slack ? near[0] : -1;
}

// Title and pairs (label, value) that describe an item.
export function described(stage, { run, strip, lane, item }) {
  const where = [stage.model.runs.length > 1 ? `${run.name}, ` : "", strip.label].join("");
  const length = run.end[item] - run.start[item];
  const times = [
    ["where", where],
    ["layer", stage.model.layers[lane.layer]],
    ["starts at", exact(run.start[item], run.tickSeconds)],
    ["lasts", seconds(length)],
  ];
  if (run.state[item] < 0) return bundleDescribed(stage, run, item, times);
  const state = stage.model.states[run.state[item]];
  const of = (key) => detail(run, item, key);
  const [bytes, file, code] = [of("bytes") ?? 0, of("file") ?? -1, of("function")];
  const called = run.functions[code] ?? "";
  const pairs = [
    ...(called && called !== state.name ? [["function", called]] : []),
    ...times,
    ...(bytes > 0 ? [["bytes", `${size(bytes)} (${grouped(bytes)} B)`]] : []),
    ...(bytes > 0 && length > 0 ? [["rate", rate(bytes / length)]] : []),
    ...(file >= 0 ? [["file", run.files[file] ?? `number ${file}`]] : []),
    ...numbers(of),
  ];
  const region = of("region") ?? -1;
  if (region >= 0 && run.regions[region] !== state.name) pairs.push(["region", run.regions[region] ?? ""]);
  return { title: state.name, state, pairs };
}

function numbers(of) {
  const plain = [
    ["offset", "offset", -1, (value) => `${grouped(value)} B`], ["blocks", "blocks", 1, grouped],
    ["stride", "stride", 0, (value) => `${grouped(value)} B`], ["peer", "peer", -1, (value) => `rank ${value}`],
    ["tag", "tag", -1, String], ["request", "request", -1, String], ["status", "error", 0, String],
    ["later", "complete after", 0, (value) => `${seconds(value * 1e-9)} more`],
  ];
  return plain.flatMap(([key, label, none, text]) => {
    const value = of(key);
    return value === undefined || value === none ? [] : [[label, text(value)]];
  });
}

function bundleDescribed(stage, run, item, times) {
  const { first, state, share: part, count, bytes } = run.parts;
  const pairs = [...times];
  let all = 0;
  for (let at = first[run.place[item]]; at < first[run.place[item] + 1]; at++) {
    all += count[at];
    const moved = bytes[at] >= 1 ? `, about ${size(bytes[at])}` : "";
    pairs.push([stage.model.states[state[at]].name, `${grouped(count[at])} ×, ${share(part[at])} of the time${moved}`]);
  }
  return { title: `${grouped(all)} short operations`, state: null, pairs };
}

export function exact(time, tick) {
  const digits = Math.min(12, Math.max(0, Math.round(-Math.log10(tick))));
  return `${time.toFixed(digits).replace(/(\.\d{3})(?=\d)/, "$1\u202f").replace(/(\u202f\d{3})(?=\d)/, "$1\u202f")} s`;
}

export function tipElement({ title, pairs }) {
  return element("div", {},
    element("strong", {}, name(title)),
    element("dl", {}, pairs.map(([label, value]) => [element("dt", {}, name(label)), element("dd", {}, name(value))]).flat()));
}
