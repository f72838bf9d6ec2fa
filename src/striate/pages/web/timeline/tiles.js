// A served page asks for finer items where its view shows bundles.

import { columnsOf, inflateBytes } from "../lib/columns.js";
import { firstEndingAfter, itemsOf } from "../timeline/model.js";

const REST = 120; // milliseconds without a change of view

// Asks at once for what the address leads to, later for what the view comes to rest on.
export function fetchTiles(stage, data, act) {
  let timer = 0;
  const ask = () => stage.model.runs.forEach((run) => refine(stage, data, run, act));
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, REST);
  };
  stage.page.on("time", later);
  stage.page.on("align", later);
  ask();
}

async function refine(stage, data, run, act) {
  const [from, to] = stage.view.map((time) => time - run.shift);
  const span = to - from;
  if (fineEnough(run, from, to) || !hasBundles(run, from, to)) return;
  const wanted = { from: from - span / 2, to: to + span / 2 };
  if (itemsIn(run, wanted) >= stage.page.shared.tiles) return; // the page has them as fine as a tile
  run.asked = wanted;
  const answer = await fetch(`tile?run=${run.number}&from=${wanted.from}&to=${wanted.to}`);
  if (!answer.ok || run.asked !== wanted) return; // refused, or overtaken by a later question
  run.finer = await finerRun(run, data, wanted, await answer.arrayBuffer());
  act.relook();
}

// Finer items are enough where they cover the view and either hold no bundles or were made for about this zoom.
function fineEnough({ finer }, from, to) {
  return finer && finer.from <= from && finer.to >= to && (finer.whole || finer.to - finer.from < 5 * (to - from));
}

function itemsIn(run, { from, to }) {
  return run.lanes.reduce((count, { first, last }) => {
    const begin = firstEndingAfter(run, first, last, from);
    return count + firstEndingAfter(run, begin, last, to) - begin;
  }, 0);
}

function hasBundles(run, from, to) {
  return run.lanes.some(({ first, last }) => {
    for (let item = firstEndingAfter(run, first, last, from); item < last && run.start[item] < to; item++) {
      if (run.state[item] < 0) return true;
    }
    return false;
  });
}

async function finerRun(run, data, { from, to }, buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const columns = columnsOf(head.columns, await inflateBytes(new Uint8Array(buffer, 4 + length)));
  const lanes = run.lanes.map((lane) => ({
    ...lane, first: columns.firstOfLane[lane.lane], last: columns.firstOfLane[lane.lane + 1],
  }));
  return { ...run, ...itemsOf(columns, run.tickSeconds, run.codes, data), arrows: run.arrows, lanes, from, to, whole: head.whole, finer: null, coarse: null };
}
