// Elements without markup: whatever is a name reaches the document as a text node.

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name.startsWith("aria-") || name === "role" || name === "for") made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

// A name that may turn the direction of writing: it ends with its element.
export function name(text) {
  return element("bdi", {}, text);
}

export function button(label, title, onclick, more = {}) {
  return element("button", { type: "button", title, onclick, ...more }, label);
}

// Rows of cells; `numbers` is the column from which cells are right-aligned.
export function table(head, rows, { numbers = 1, caption = "" } = {}) {
  const cell = (tag) => (content, at) => element(tag, at >= numbers ? { class: "number" } : {}, content);
  return element("table", {},
    caption ? element("caption", {}, caption) : null,
    element("thead", {}, element("tr", {}, head.map(cell("th")))),
    element("tbody", {}, rows.map((row) => element("tr", {}, row.map(cell("td"))))));
}
