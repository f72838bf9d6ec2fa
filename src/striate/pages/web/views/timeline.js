// The timeline: rows of all runs on one axis of time, to zoom, pan, point at, search and select in.

import { button, element } from "../lib/dom.js";
import { bookmarks } from "../timeline/bookmarks.js";
import { prepare } from "../timeline/coarser.js";
import { listenToKeys } from "../timeline/keys.js";
import { legend } from "../timeline/legend.js";
import { minimap } from "../timeline/minimap.js";
import { modelOf } from "../timeline/model.js";
import { addTotals } from "../timeline/pivot.js";
import { listenToPointer } from "../timeline/pointer.js";
import { plotWidth } from "../timeline/place.js";
import { align, extentOf, kept, zoomed } from "../timeline/scale.js";
import { listed, markMatches } from "../timeline/search.js";
import { selectionPanel } from "../timeline/selection.js";
import { drawSheet } from "../timeline/sheet.js";
import { arrange, draw, fit, makeStage, restyle } from "../timeline/stage.js";
import { across, middleBar, neighbour } from "../timeline/step.js";
import { fetchTiles } from "../timeline/tiles.js";
import { described, tipElement, under } from "../timeline/tip.js";
import { toolbar } from "../timeline/toolbar.js";

export function render(container, data, page) {
  const model = modelOf(data);
  addTotals(model);
  const stage = makeStage(model, page);
  stage.frame.setAttribute("aria-label", `Timeline of ${model.runs.length} runs; W and S zoom, A and D pan`);
  const tip = element("div", { class: "tip", role: "status", hidden: true });
  const pinned = element("div", { class: "pinned", hidden: true, "aria-live": "polite" });
  const act = actions(stage, { tip, pinned });
  const overview = minimap(stage, act);
  container.append(toolbar(stage, act), bookmarks(stage, act), legend(model, page), overview.strip, stage.frame, tip, pinned,
    selectionPanel(model, page));
  listenToPointer(stage, act);
  listenToKeys(stage, act);
  stage.frame.addEventListener("scroll", act.redraw);
  new ResizeObserver(() => fit(stage) && (overview.repaint(), act.redraw())).observe(stage.frame);

  const again = () => {
    align(model, page.get("align"));
    stage.extent = extentOf(model);
    stage.view = kept(page.get("time") ?? stage.extent, stage.extent);
    arrange(stage);
    fit(stage);
    overview.repaint();
    act.redraw();
  };
  page.on("align", again);
  page.on("mixed", again);
  page.on("time", (time) => {
    hurry(stage, act);
    stage.view = kept(time ?? stage.extent, stage.extent);
    overview.move();
    act.redraw();
  });
  page.on("theme", () => {
    restyle(stage);
    overview.repaint();
    act.redraw();
  });
  act.onMatch.push(overview.repaint);
  page.on("hidden", act.relook);
  page.on("query", act.relook);
  page.on("selection", act.resheet);
  page.on("selection", overview.move);
  restyle(stage);
  again();
  act.relook();
  draw(stage);
  prepare(model.runs, (stage.extent[1] - stage.extent[0]) / plotWidth(stage), model.states.length);
  if (page.shared.tiles) fetchTiles(stage, data, act);
  return stage;
}

function actions(stage, { tip, pinned }) {
  const { page, model } = stage;
  let [planned, sheetPlanned, pointed] = [false, false, null];

  const act = {
    redraw() {
      if (planned) return;
      planned = true;
      requestAnimationFrame(() => {
        planned = false;
        draw(stage);
        drawSheet(stage, pointed);
      });
    },
    resheet() {
      if (sheetPlanned) return;
      sheetPlanned = true;
      requestAnimationFrame(() => {
        sheetPlanned = false;
        drawSheet(stage, pointed);
      });
    },
    look(view) {
      stage.view = kept(view, stage.extent);
      const whole = stage.view[0] === stage.extent[0] && stage.view[1] === stage.extent[1];
      page.set("time", whole ? null : stage.view);
    },
    focus: () => (pointed ? pointed.time + pointed.run.shift : null),
    point(at) {
      pointed = at && under(stage, at.x, at.y);
      const shown = pointed && pointed.item >= 0;
      tip.hidden = !shown;
      if (shown) placeTip(stage, tip, at, tipElement(described(stage, pointed)));
      act.resheet();
    },
    pin(at) {
      const found = under(stage, at.x, at.y);
      if (found && found.item >= 0) act.keep(found);
      else act.strokes.escape();
    },
    keep(found) {
      stage.pinned = found;
      pinned.hidden = false;
      pinned.replaceChildren(button("×", "Close", () => act.strokes.escape(), { class: "close" }), tipElement(described(stage, found)));
      act.resheet();
    },
    step(found) {
      if (!found) return;
      act.keep(found);
      const [from, to] = stage.view;
      const time = found.time + found.run.shift;
      if (time < from || time > to) act.look([time - (to - from) / 2, time + (to - from) / 2]);
    },
    select: (times) => page.set("selection", times),
    fold(key) {
      if (!stage.folded.delete(key)) stage.folded.add(key);
      arrange(stage);
      fit(stage);
      act.redraw();
    },
    zoomTo(at) {
      const found = under(stage, at.x, at.y);
      if (!found || found.item < 0) return;
      const { run, item } = found;
      act.show(run, item);
    },
    show(run, item) {
      const [from, to] = [run.start[item] + run.shift, run.end[item] + run.shift];
      const room = Math.max((to - from) * 0.6, (stage.extent[1] - stage.extent[0]) * 1e-7);
      act.look([from - room, to + room]);
    },
    relook() {
      const hidden = Uint8Array.from(model.states, (state) => (page.get("hidden").has(state.key) ? 1 : 0));
      markMatches(model, page.get("query"));
      stage.matched = listed(model);
      const faded = model.states.length;
      stage.looks = (run, item, state) => {
        if (hidden[state]) return -1;
        return run.found && !run.found[item] ? state + faded : state;
      };
      act.redraw();
      for (const listener of act.onMatch) listener(stage.matched);
    },
    onMatch: [],
    strokes: {
      0: () => act.look(stage.extent),
      home: () => act.look(stage.extent),
      b: () => act.bookmark(),
      f: () => act.look(page.get("selection") ?? stage.extent),
      escape() {
        stage.pinned = null;
        pinned.hidden = true;
        page.set("selection", null);
        act.resheet();
      },
      enter: () => act.step(stage.pinned ?? middleBar(stage)),
      ".": () => stage.pinned && act.step(neighbour(stage, stage.pinned, 1)),
      ",": () => stage.pinned && act.step(neighbour(stage, stage.pinned, -1)),
      j: () => stage.pinned && act.step(across(stage, stage.pinned, 1)),
      k: () => stage.pinned && act.step(across(stage, stage.pinned, -1)),
      arrowup: () => (stage.frame.scrollTop -= 60),
      arrowdown: () => (stage.frame.scrollTop += 60),
      "/": () => act.focusSearch(),
      n: () => act.nextMatch(1),
      p: () => act.nextMatch(-1),
    },
    zoomBy: (factor) => act.look(zoomed(stage.view, factor, (stage.view[0] + stage.view[1]) / 2, stage.extent)),
  };
  return act;
}

// While the view moves, frames may be drawn coarser to keep up; once it rests, it is drawn sharp again.
function hurry(stage, act) {
  stage.moving = true;
  clearTimeout(stage.resting);
  stage.resting = setTimeout(() => {
    stage.moving = false;
    if (stage.hurried) act.redraw();
  }, 160);
}

function placeTip(stage, tip, at, content) {
  tip.replaceChildren(content);
  const box = stage.frame.getBoundingClientRect();
  const [x, y] = [box.left + at.x, box.top + at.y];
  const left = x + tip.offsetWidth + 28 > window.innerWidth ? x - tip.offsetWidth - 14 : x + 16;
  const top = y + tip.offsetHeight + 28 > window.innerHeight ? y - tip.offsetHeight - 14 : y + 16;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}
