// Machines: what their descriptions say, and their drawings.

import { element, name, table } from "../lib/dom.js";

export function render(container, data) {
  container.append(...data.clusters.map((cluster) => element("article", { class: "card machine" },
    element("h3", {}, name(cluster.name)),
    element("img", { alt: `Drawing of ${cluster.name}`, src: `data:image/svg+xml;base64,${cluster.picture}` }),
    element("div", { class: "cards" }, cluster.sections.map(([title, lines]) =>
      table([name(title), ""], lines.map((line) => line.map((text) => name(text))), { numbers: 2 }))))));
}
