// A matrix as coloured cells: the darker the more, by the square root, so that little is not nothing.

import { element, name } from "./dom.js";
import { channels, mixed } from "./palette.js";

const CURVE = 56; // pixels high
const HUES = { read: "#0072b2", write: "#d55e00", busy: "#009e73" };

// `value(row, bin)` from 0 to `most`; `describe(row, bin)` gives a title and pairs for the pointer; `ends` are the words
// at the two ends of the bins, `sides` those at the first and the last row.
export function heatMap(page, { rows, bins, value, most, hue, describe, ends, sides, title, height }) {
  const canvas = element("canvas", { class: "heat", width: bins, height: rows, role: "img", "aria-label": title });
  canvas.style.height = `${height ?? Math.min(360, Math.max(48, rows * 7))}px`;
  const tip = element("div", { class: "celltip", role: "tooltip", hidden: true });

  function paint() {
    const dark = page.theme() === "dark";
    const [paper, ink] = [dark ? "#1c232c" : "#f0f3f7", dark ? mixed(HUES[hue], "#ffffff", 0.25) : HUES[hue]];
    const shades = Array.from({ length: 64 }, (_, at) => channels(mixed(paper, ink, 0.12 + 0.88 * (at / 63))));
    const context = canvas.getContext("2d");
    const image = context.createImageData(bins, rows);
    const empty = channels(paper);
    for (let row = 0; row < rows; row++) {
      for (let bin = 0; bin < bins; bin++) {
        const amount = value(row, bin);
        const shade = amount > 0 ? shades[Math.min(63, Math.floor(63 * Math.sqrt(amount / most)))] : empty;
        image.data.set([...shade, 255], 4 * (row * bins + bin));
      }
    }
    context.putImageData(image, 0, 0);
  }

  function point(event) {
    const box = canvas.getBoundingClientRect();
    const row = Math.min(rows - 1, Math.max(0, Math.floor(((event.clientY - box.top) / box.height) * rows)));
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * bins)));
    const { title: words, pairs } = describe(row, bin);
    tip.replaceChildren(element("strong", {}, name(words)), element("dl", {}, pairs.map(([label, text]) =>
      [element("dt", {}, label), element("dd", {}, name(text))]).flat()));
    tip.hidden = false;
    tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${event.clientY + 14}px`;
  }

  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerleave", () => (tip.hidden = true));
  page.on("theme", paint);
  paint();
  return element("div", { class: "heatmap" },
    element("div", { class: "sides" }, sides.map((text) => element("span", {}, name(text)))), canvas,
    element("div", { class: "ends" }, ends.map((text) => element("span", {}, text))), tip);
}

// Amounts over time as columns, for what one row of cells would be too coarse.
export function curve(page, { values, peak, hue, title }) {
  const canvas = element("canvas", { class: "curve", width: values.length, height: CURVE, role: "img", "aria-label": title });
  const paint = () => {
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, values.length, CURVE);
    context.fillStyle = HUES[hue];
    values.forEach((value, bin) => context.fillRect(bin, CURVE - ((CURVE - 1) * value) / peak, 1, ((CURVE - 1) * value) / peak));
  };
  page.on("theme", paint);
  paint();
  return canvas;
}

// A choice among parts, remembered by nobody: `draw(number)` fills what is below.
export function chooser(label, names, draw) {
  const below = element("div", {});
  const fill = (number) => below.replaceChildren(...[draw(number)].flat().filter(Boolean));
  const select = element("select", { "aria-label": label, onchange: (event) => fill(Number(event.target.value)) },
    names.map((text, at) => element("option", { value: String(at) }, name(text))));
  fill(0);
  return element("div", {}, names.length > 1 ? element("p", { class: "toolbar" }, select) : null, below);
}
