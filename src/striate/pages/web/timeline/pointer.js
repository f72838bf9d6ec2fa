// Mouse and touch: the wheel zooms, dragging pans, dragging the axis (or with Shift) selects, a click pins.

import { stripAt } from "../timeline/layout.js";
import { AXIS, plotWidth, timeAt } from "../timeline/place.js";
import { panned, zoomed } from "../timeline/scale.js";

const CLICK = 4; // pixels that a hand may shake

export function listenToPointer(stage, act) {
  const { frame } = stage;
  let drag = null;
  const place = (event) => {
    const box = frame.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  frame.addEventListener("wheel", (event) => {
    const { x } = place(event);
    if (x < stage.gutter) return; // over the names the wheel scrolls
    event.preventDefault();
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    const pixels = event.deltaMode === 1 ? 24 : 1;
    if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
      act.look(panned(stage.view, ((sideways * pixels) / plotWidth(stage)) * (stage.view[1] - stage.view[0]), stage.extent));
    } else {
      act.look(zoomed(stage.view, Math.exp(event.deltaY * pixels * 0.0016), timeAt(stage, x), stage.extent));
    }
  }, { passive: false });

  frame.addEventListener("pointerdown", (event) => {
    const at = place(event);
    if (event.button !== 0 || at.x > frame.clientWidth) return;
    const selects = event.shiftKey || (at.y < AXIS && at.x >= stage.gutter);
    drag = { ...at, view: stage.view, time: timeAt(stage, at.x), scroll: frame.scrollTop, selects, moved: false };
    if (at.x >= stage.gutter) frame.setPointerCapture(event.pointerId);
  });

  frame.addEventListener("pointermove", (event) => {
    const at = place(event);
    if (!drag) {
      act.point(at);
      return;
    }
    drag.moved ||= Math.abs(at.x - drag.x) + Math.abs(at.y - drag.y) > CLICK;
    if (!drag.moved || drag.x < stage.gutter) return;
    if (drag.selects) {
      const times = [drag.time, timeAt(stage, Math.max(at.x, stage.gutter))].sort((one, other) => one - other);
      act.select(times);
    } else {
      const seconds = ((drag.x - at.x) / plotWidth(stage)) * (drag.view[1] - drag.view[0]);
      frame.scrollTop = drag.scroll + drag.y - at.y;
      act.look(panned(drag.view, seconds, stage.extent));
    }
  });

  frame.addEventListener("pointerup", (event) => {
    const at = place(event);
    if (drag && !drag.moved) click(at);
    drag = null;
  });
  frame.addEventListener("pointercancel", () => (drag = null));
  frame.addEventListener("pointerleave", () => act.point(null));
  frame.addEventListener("dblclick", (event) => act.zoomTo(place(event)));

  function click(at) {
    const strip = at.y >= AXIS ? stripAt(stage.strips, at.y - AXIS + frame.scrollTop) : null;
    if (strip?.kind === "group") act.fold(strip.key);
    else act.pin(at);
  }
}
