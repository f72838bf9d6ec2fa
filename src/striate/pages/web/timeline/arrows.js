// Messages and requests as arrows from lane to lane: all that are in sight, up to a limit, and those of the bar pointed at.

import { AXIS, pixelAt } from "../timeline/place.js";

const MOST = 1200; // in sight; they come slowest first

export function drawArrows(stage, context, pointed) {
  const chosen = [stage.pinned, pointed].filter((one) => one && one.item >= 0);
  context.lineWidth = 1;
  for (const run of stage.model.runs) {
    let count = 0;
    for (const arrow of run.arrows) {
      const mine = chosen.some((one) => one.run.number === run.number && touches(one, arrow));
      if (!mine && (!stage.arrows || count >= MOST)) continue;
      count += drawArrow(stage, context, run, arrow, mine) ? 1 : 0;
    }
  }
  context.globalAlpha = 1;
}

function touches({ run, lane, item }, arrow) {
  const inside = (time) => time >= run.start[item] && time <= run.end[item];
  return (lane.lane === arrow.from && inside(arrow.start)) || (lane.lane === arrow.to && inside(arrow.end));
}

function drawArrow(stage, context, run, arrow, strong) {
  const [from, to] = [arrow.start, arrow.end].map((time) => pixelAt(stage, time + run.shift));
  if (to < stage.gutter || from > stage.width) return false;
  const shift = AXIS - stage.frame.scrollTop;
  const [top, bottom] = [stage.middles[run.number][arrow.from] + shift, stage.middles[run.number][arrow.to] + shift];
  if (Number.isNaN(top + bottom) || Math.max(top, bottom) < AXIS || Math.min(top, bottom) > stage.height) return false;
  context.strokeStyle = context.fillStyle = stage.colours.ink;
  context.globalAlpha = strong ? 0.95 : 0.5;
  context.beginPath();
  context.moveTo(from, top);
  context.lineTo(to, bottom);
  context.stroke();
  head(context, from, top, to, bottom);
  return true;
}

function head(context, fromX, fromY, toX, toY) {
  const angle = Math.atan2(toY - fromY, toX - fromX);
  context.beginPath();
  context.moveTo(toX, toY);
  for (const turn of [0.42, -0.42]) context.lineTo(toX - 7 * Math.cos(angle + turn), toY - 7 * Math.sin(angle + turn));
  context.fill();
}
