// The keyboard: W S zoom, A D and arrows pan, held keys keep moving; the rest are single strokes.

import { panned, zoomed } from "../timeline/scale.js";

const HELD = {
  w: ["zoom", -1], s: ["zoom", 1], a: ["pan", -1], d: ["pan", 1], arrowleft: ["pan", -1], arrowright: ["pan", 1],
  "+": ["zoom", -1], "=": ["zoom", -1], "-": ["zoom", 1],
};
const STEP = 0.08; // of the view, at once, when a key goes down
const SPEED = { zoom: 2.2, pan: 1.1 }; // a second while it is held: doublings (nearly), widths

export function listenToKeys(stage, act) {
  const held = new Map(); // key -> the moment it went down
  let last = 0;

  function move(kind, direction, amount) {
    const [from, to] = stage.view;
    if (kind === "pan") act.look(panned(stage.view, direction * amount * (to - from), stage.extent));
    else act.look(zoomed(stage.view, Math.exp(direction * amount * 2), act.focus() ?? (from + to) / 2, stage.extent));
  }

  function step(now) {
    const passed = Math.min(now - last, 50) / 1000;
    last = now;
    for (const [key, since] of held) {
      const [kind, direction] = HELD[key];
      if (now - since > 180) move(kind, direction, (SPEED[kind] * passed) / (kind === "zoom" ? 2 : 1));
    }
    if (held.size) requestAnimationFrame(step);
  }

  stage.frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (HELD[key]) {
      event.preventDefault();
      if (event.repeat || held.has(key)) return;
      move(...HELD[key], STEP);
      if (!held.size) {
        last = performance.now();
        requestAnimationFrame(step);
      }
      held.set(key, performance.now());
    } else if (act.strokes[key]) {
      event.preventDefault();
      act.strokes[key]();
    }
  });
  stage.frame.addEventListener("keyup", (event) => held.delete(event.key.toLowerCase()));
  stage.frame.addEventListener("blur", () => held.clear());
}
