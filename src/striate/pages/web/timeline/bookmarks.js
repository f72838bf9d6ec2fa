// Parts of time worth coming back to, with names; the address keeps them.

import { button, element, name } from "../lib/dom.js";
import { seconds } from "../lib/units.js";

export function bookmarks(stage, act) {
  const { page } = stage;
  const list = element("div", { class: "bookmarks", role: "group", "aria-label": "Bookmarks" });

  act.bookmark = () => {
    const [from, to] = stage.view;
    page.set("marks", [...page.get("marks"), { name: `${seconds(to - from)} at ${seconds(from)}`, time: [from, to] }]);
  };

  const change = (mark, other) => page.set("marks", page.get("marks").flatMap((one) => (one === mark ? other : [one])));

  function rename(mark, chip) {
    const box = element("input", { type: "text", value: mark.name, maxLength: 80, "aria-label": "Name of the bookmark" });
    const keep = () => box.value.trim() ? change(mark, [{ ...mark, name: box.value.trim() }]) : fill();
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter") keep();
      if (event.key === "Escape") fill();
    });
    chip.replaceChildren(box);
    box.focus();
    box.select();
  }

  function fill() {
    list.replaceChildren(...page.get("marks").map((mark) => {
      const chip = element("span", { class: "chip bookmark" });
      chip.append(
        element("button", { type: "button", class: "plain-button", title: "Go there", onclick: () => act.look(mark.time) }, name(mark.name)),
        button("✎", "Rename", () => rename(mark, chip), { class: "plain-button" }),
        button("×", "Remove", () => change(mark, []), { class: "plain-button" }));
      return chip;
    }));
  }

  page.on("marks", fill);
  fill();
  return list;
}
