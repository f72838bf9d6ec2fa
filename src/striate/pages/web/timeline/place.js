// Where things stand on the stage: pixels, moments, and the strips in sight.

import { firstBelow } from "../timeline/layout.js";

export const AXIS = 30; // CSS pixels above the rows

export const plotWidth = (stage) => stage.width - stage.gutter;
export const timeAt = (stage, x) => stage.view[0] + ((x - stage.gutter) / plotWidth(stage)) * (stage.view[1] - stage.view[0]);
export const pixelAt = (stage, time) =>
  stage.gutter + ((time - stage.view[0]) / (stage.view[1] - stage.view[0])) * plotWidth(stage);

export function visible(stage) {
  const [top, bottom] = [stage.frame.scrollTop, stage.frame.scrollTop + stage.height - AXIS];
  const first = firstBelow(stage.strips, top);
  let last = first;
  while (last < stage.strips.length && stage.strips[last].y < bottom) last++;
  return stage.strips.slice(first, last);
}
