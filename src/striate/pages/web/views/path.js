// The critical path: time across, ranks down, coloured by what the rank was doing.

import { element } from "../lib/dom.js";
import { chooser } from "../lib/heat.js";
import { look } from "../lib/palette.js";
import { seconds, share } from "../lib/units.js";
import { swatch } from "../timeline/legend.js";

const [WIDTH, HEIGHT] = [1200, 180];

export function render(container, data, page) {
  container.append(chooser("Run", data.parts.map((part) => part.name), (number) => drawn(data.parts[number], number, data.columns, page)));
}

function drawn(part, number, columns, page) {
  const states = part.states.map((text) => ({ name: text, category: text.startsWith("computing") ? "compute" : text }));
  const canvas = element("canvas", { class: "heat path", width: WIDTH, height: HEIGHT, role: "img", "aria-label": "Critical path over time and ranks" });
  const [rank, start, end, state] = ["rank", "start", "end", "state"].map((column) => columns[`${column}${number}`]);
  const lane = Math.max(1, Math.min(14, HEIGHT / part.ranks));
  const y = (at) => (HEIGHT - lane) * (part.ranks > 1 ? at / (part.ranks - 1) : 0);
  const paint = () => {
    const context = canvas.getContext("2d");
    const scale = WIDTH / (part.seconds * 1e9);
    context.clearRect(0, 0, WIDTH, HEIGHT);
    for (let piece = 0; piece < rank.length; piece++) {
      context.fillStyle = look(states[state[piece]], page.theme()).fill;
      context.fillRect(start[piece] * scale, y(rank[piece]), Math.max(1, (end[piece] - start[piece]) * scale), lane);
      if (piece && rank[piece] !== rank[piece - 1]) {
        const [one, other] = [y(rank[piece - 1]), y(rank[piece])].sort((a, b) => a - b);
        context.fillStyle = page.theme() === "dark" ? "#9dabbb" : "#5a6675";
        context.fillRect(start[piece] * scale, one + lane, 1, Math.max(0, other - one - lane));
      }
    }
  };
  page.on("theme", paint);
  paint();
  const total = part.of_states.reduce((sum, [, value]) => sum + value, 0) || 1;
  const byName = new Map(states.map((one) => [one.name, one]));
  const lines = (title, rows) => element("table", {}, element("thead", {}, element("tr", {}, [title, "seconds", "share"].map((text, at) =>
    element("th", at ? { class: "number" } : {}, text)))), element("tbody", {}, rows.map(([label, value]) => element("tr", {},
    element("td", {}, label), element("td", { class: "number" }, seconds(value)), element("td", { class: "number" }, share(value / total))))));
  const named = part.of_states.map(([text, value]) =>
    [element("span", { class: "state" }, swatch(byName.get(text), page.theme()), text), value]);
  return [element("p", {}, part.words),
    element("div", { class: "heatmap" }, element("div", { class: "sides" }, element("span", {}, "rank 0"), element("span", {}, `rank ${part.ranks - 1}`)),
      canvas, element("div", { class: "ends" }, element("span", {}, "0 s"), element("span", {}, seconds(part.seconds)))),
    element("div", { class: "side-by-side" }, lines("what", named), lines("rank", part.of_ranks.map(([at, value]) => [`rank ${at}`, value])))];
}
