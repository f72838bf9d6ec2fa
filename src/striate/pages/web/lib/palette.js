// Colours of states after Okabe and Ito, which colour-blind eyes tell apart; a pattern where a colour serves twice.

const HUES = {
  light: { blue: "#0072b2", sky: "#56b4e9", green: "#009e73", yellow: "#e6c229", orange: "#e69f00",
    vermilion: "#d55e00", purple: "#a8548a", pink: "#cc79a7", grey: "#9aa3ad", pale: "#d3dae2", slate: "#66758a" },
  dark: { blue: "#2f8fd0", sky: "#6dc1f2", green: "#1fb58a", yellow: "#ecd04a", orange: "#f0ad1c",
    vermilion: "#ec7426", purple: "#c079ab", pink: "#dc96bd", grey: "#77828f", pale: "#46515e", slate: "#8796aa" },
};
const PATTERNS = ["plain", "rising", "falling", "level", "dots"];

// What each kind of operation looks like: hue and pattern.
const LOOKS = new Map(Object.entries({
  read: ["blue", 0], read_all: ["sky", 0], write: ["vermilion", 0], write_all: ["orange", 0],
  open: ["yellow", 0], close: ["yellow", 1], sync: ["yellow", 3], delete: ["yellow", 4], view: ["yellow", 2],
  seek: ["yellow", 4], stat: ["yellow", 2], resize: ["yellow", 3],
  send: ["green", 0], recv: ["green", 1], sendrecv: ["green", 2], wait: ["grey", 0], probe: ["green", 4],
  neighbor: ["green", 3], rma: ["green", 2], fence: ["grey", 1],
  barrier: ["grey", 1], bcast: ["purple", 0], reduce: ["purple", 1], allreduce: ["purple", 2], gather: ["pink", 0],
  gatherv: ["pink", 1], scatter: ["pink", 2], scatterv: ["pink", 3], allgather: ["purple", 3],
  allgatherv: ["purple", 4], alltoall: ["pink", 4], alltoallv: ["pink", 3], scan: ["purple", 1],
  reduce_scatter: ["purple", 2], communicator: ["slate", 1], init: ["slate", 0], finalize: ["slate", 2],
  other: ["grey", 4], compute: ["pale", 0], transfer: ["green", 0],
}));
const SPARE = ["green", "purple", "sky", "orange", "pink", "slate", "blue", "yellow", "vermilion"];

// Look of a state { name, category } in a theme: { fill, mark, pattern }; regions are tints and unknown kinds take spare
// hues, both by their name.
export function look({ name, category }, theme) {
  if (category === "region") {
    const fill = mixed(HUES[theme][spare(name)[0]], theme === "dark" ? "#12161c" : "#ffffff", 0.68);
    return { fill, mark: fill, pattern: 0 };
  }
  const [hue, pattern] = LOOKS.get(category) ?? spare(category);
  const fill = HUES[theme][hue];
  return { fill, mark: mixed(fill, theme === "dark" ? "#000000" : "#ffffff", 0.42), pattern };
}

function spare(category) {
  let number = 7;
  for (const letter of category) number = (number * 31 + letter.codePointAt(0)) % 9973;
  return [SPARE[number % SPARE.length], Math.floor(number / SPARE.length) % PATTERNS.length];
}

export function mixed(colour, other, share) {
  const [a, b] = [channels(colour), channels(other)];
  return `#${a.map((value, at) => Math.round(value + (b[at] - value) * share).toString(16).padStart(2, "0")).join("")}`;
}

export function channels(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

// Whether the pattern marks the pixel (x, y); the same rule paints bars and legends.
export function marked(pattern, x, y) {
  if (pattern === 1) return (x + y) % 6 < 2;
  if (pattern === 2) return (((x - y) % 6) + 6) % 6 < 2;
  if (pattern === 3) return y % 4 === 0;
  return pattern === 4 && x % 4 === 0 && y % 4 === 0;
}

// Ink that can be read on a fill.
export function inkOn(fill) {
  const [red, green, blue] = channels(fill);
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? "#10151c" : "#ffffff";
}
