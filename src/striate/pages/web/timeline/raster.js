// Paints lanes into an image, pixel by pixel: a million of them a frame takes a few milliseconds without a graphics card.

import { channels, look, marked, mixed } from "../lib/palette.js";

const TILE = 12; // patterns repeat after as many pixels, both ways
const LEAST = 3; // pixels of a mark, where the lane is high enough;
const ALONE = 0.6; // of the lane's height, where a mark has no neighbours that it would have to be compared with
const FULL = 0.97; // a column that one state fills so far has no stack

// A colour as the image holds it, four bytes in a word.
export function packed(colour) {
  const [red, green, blue] = channels(colour);
  return (255 << 24) | (blue << 16) | (green << 8) | red;
}

// Tiles of all states: as they are, and (from `states.length` on) faded, for what a search does not find.
export function paintsOf(states, theme, background) {
  const faded = states.map((state) => {
    const { fill, mark, pattern } = look(state, theme);
    return { fill: mixed(fill, background, 0.84), mark: mixed(mark, background, 0.84), pattern };
  });
  return [...states.map((state) => look(state, theme)), ...faded].map(paintOf);
}

function paintOf({ fill, mark, pattern }) {
  const [plain, line] = [packed(fill), packed(mark)];
  const tile = new Int32Array(TILE * TILE);
  for (let y = 0; y < TILE; y++) {
    for (let x = 0; x < TILE; x++) tile[y * TILE + x] = marked(pattern, x, y) ? line : plain;
  }
  return { plain, tile, solid: pattern === 0, edge: packed(mixed(fill, "#000000", 0.35)) };
}

// Paints what `buffer` holds into rows [top, top + height) of the image.
export function paintLane(image, buffer, top, height, paints) {
  buffer.touched.sort((one, other) => one - other);
  const { pixels, width, rows } = image;
  const [from, to] = [Math.max(0, top), Math.min(rows, top + height)];
  if (from >= to) return;
  for (let x = 0; x < width; x++) {
    const state = buffer.full[x];
    if (state >= 0) {
      if (buffer.edge[x]) {
        column(pixels, width, x, from, to, paints[state].edge);
        continue;
      }
      let end = x + 1;
      while (end < width && buffer.full[end] === state && !buffer.edge[end]) end++;
      block(pixels, width, x, end, from, to, paints[state]);
      x = end - 1;
    } else if (buffer.some[x]) {
      stack(image, buffer, x, top, height, paints);
    }
  }
}

function column(pixels, width, x, from, to, colour) {
  for (let y = from, at = from * width + x; y < to; y++, at += width) pixels[at] = colour;
}

function block(pixels, width, left, right, from, to, paint) {
  for (let y = from; y < to; y++) {
    if (paint.solid) {
      pixels.fill(paint.plain, y * width + left, y * width + right);
    } else {
      const row = (y % TILE) * TILE;
      for (let x = left; x < right; x++) pixels[y * width + x] = paint.tile[row + (x % TILE)];
    }
  }
}

// The column's states on top of one another, from the bottom; however little there was, a mark says that there was.
// This is the innermost loop of a frame: plain indices, no calls but `segment`.
function stack(image, buffer, x, top, height, paints) {
  const { shares, touched, width } = buffer;
  const bottom = top + height;
  let base = bottom;
  let filled = 0;
  let last = 0;
  for (let at = 0; at < touched.length; at++) {
    const state = touched[at];
    const share = shares[state * width + x];
    if (share <= 0) continue;
    last = state;
    filled += share;
    if (share >= FULL) filled = 1;
    let upper = bottom - ((filled * height + 0.5) | 0);
    if (upper < top) upper = top;
    if (upper < base) {
      segment(image, x, upper, base, paints[state]);
      base = upper;
    }
  }
  const least = alone(buffer, x) ? Math.ceil(height * ALONE) : height < 3 * LEAST ? 1 : LEAST;
  if (base > bottom - least) segment(image, x, bottom - least, bottom, paints[last]);
}

function alone({ some, full, width }, x) {
  const empty = (at) => at < 0 || at >= width || (!some[at] && full[at] < 0);
  return empty(x - 1) && empty(x + 1);
}

function segment(image, x, from, to, paint) {
  const { pixels, width, rows } = image;
  if (from < 0) from = 0;
  if (to > rows) to = rows;
  let at = from * width + x;
  if (paint.solid) {
    const colour = paint.plain;
    for (let y = from; y < to; y++, at += width) pixels[at] = colour;
    return;
  }
  const tile = paint.tile;
  let place = (from % TILE) * TILE + (x % TILE);
  for (let y = from; y < to; y++, at += width) {
    pixels[at] = tile[place];
    place += TILE;
    if (place >= TILE * TILE) place -= TILE * TILE;
  }
}
