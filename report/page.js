"use strict";
(() => {
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  all(".screen").forEach((part) => { part.hidden = false; }); // without scripts they do nothing

  // Values: what a shape says of itself, in its data-title or its <title>.
  const tip = document.getElementById("tip");
  const valueOf = (shape) => {
    for (; shape && shape.ownerSVGElement !== undefined; shape = shape.parentNode) {
      if (shape.dataset.title) return shape.dataset.title;
      if (!shape.ownerSVGElement) return ""; // the title of a whole drawing is its name
      const title = all(":scope > title", shape)[0];
      if (!title) continue;
      shape.dataset.title = title.textContent;
      title.remove(); // else the browser shows it once more
      return shape.dataset.title;
    }
    return "";
  };
  // told is the value of a shape, and below it what the other pictures say of the same thing.
  const told = (shape) => {
    const value = valueOf(shape), stage = shape.closest(".stage"), same = shape.closest("[data-id]");
    if (!value || !stage || !same) return value;
    const lines = all(".stage").flatMap((other) => {
      const twin = other !== stage && other.querySelector(`[data-id="${CSS.escape(same.dataset.id)}"]`);
      return twin ? [other.dataset.name + ": " + valueOf(twin)] : [];
    });
    return lines.length ? [stage.dataset.name + ": " + value, ...lines].join("\n") : value;
  };
  const show = (text, x, y) => {
    if (tip.textContent !== text) tip.textContent = text;
    tip.classList.toggle("on", text !== "");
    const width = document.documentElement.clientWidth, height = window.innerHeight;
    const left = Math.max(4, Math.min(x + 14, width - tip.offsetWidth - 4));
    const below = y + 18 + tip.offsetHeight <= height;
    tip.style.left = left + "px";
    tip.style.top = Math.max(4, below ? y + 18 : y - 10 - tip.offsetHeight) + "px";
  };
  const hide = () => show("", 0, 0);
  document.addEventListener("pointermove", (event) => {
    if (event.target.closest && event.target.closest("svg")) show(told(event.target), event.clientX, event.clientY);
    else if (event.pointerType === "mouse") hide();
  });
  document.addEventListener("pointerdown", (event) => {
    if (event.target.closest && event.target.closest("svg")) show(told(event.target), event.clientX, event.clientY);
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  document.addEventListener("focusout", hide);
  const follow = () => { // the value of a mark that was reached by key stays at it
    const mark = document.querySelector(".chart .here");
    if (!mark || !tip.classList.contains("on")) return hide();
    const box = mark.getBoundingClientRect();
    show(tip.textContent, box.right, box.bottom);
  };
  window.addEventListener("scroll", follow, { passive: true });

  // Colours: the button changes them for this visit, nothing is stored.
  const theme = document.getElementById("theme"), root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  const name = () => { theme.textContent = dark() ? "Light colours" : "Dark colours"; };
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
  system.addEventListener("change", name);
  name();

  // Tables: a button in every heading sorts, numbers by data-sort.
  all("table").forEach((table) => {
    const body = table.tBodies[0], heads = all("thead th", table);
    if (body.rows.length < 2) { all("[data-sortable]", table.closest("section")).forEach((hint) => hint.remove()); return; }
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = Array.from(body.rows);
        const key = (row) => row.cells[column].dataset.sort;
        const numbers = rows.some((row) => key(row) !== undefined);
        const order = (a, b) => {
          if (!numbers) return a.cells[column].textContent.localeCompare(b.cells[column].textContent, "en", { numeric: true });
          const x = parseFloat(key(a)), y = parseFloat(key(b));
          if (isNaN(x) || isNaN(y)) return up ? isNaN(x) - isNaN(y) : isNaN(y) - isNaN(x); // unknown ones last
          return x - y;
        };
        rows.sort((a, b) => up ? order(a, b) : order(b, a));
        body.append(...rows);
      });
    });
  });

  // Charts: left and right go from mark to mark, in the order of the axis.
  all(".chart").forEach((chart) => {
    const place = (mark) => mark.getBBox().x + mark.getBBox().width / 2;
    const points = all("circle[data-id], rect[data-id]", chart).sort((a, b) => place(a) - place(b));
    let at = -1;
    const go = (to) => {
      points.forEach((point) => point.classList.remove("here"));
      at = Math.max(0, Math.min(points.length - 1, to));
      points[at].classList.add("here");
      const room = chart.getBoundingClientRect();
      let box = points[at].getBoundingClientRect();
      if (box.left < room.left || box.right > room.right) { // on a narrow screen
        chart.scrollLeft += box.left - room.left - room.width / 2;
        box = points[at].getBoundingClientRect();
      }
      show(valueOf(points[at]), box.right, box.bottom);
    };
    chart.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: points.length - 1 }[event.key];
      if (to === undefined || points.length === 0) return;
      event.preventDefault();
      go(to);
    });
    chart.addEventListener("focusout", () => points.forEach((point) => point.classList.remove("here")));
  });

  // Pictures of the network: one view for all, as fractions of each picture.
  const stages = all(".stage").filter((stage) => stage.querySelector("svg[viewBox]"));
  const pictures = stages.map((stage) => {
    const svg = stage.querySelector("svg"), box = svg.viewBox.baseVal;
    return { stage, svg, whole: { x: box.x, y: box.y, width: box.width, height: box.height } };
  });
  const view = { x: 0, y: 0, size: 1 }; // the left upper corner and the extent, 1 = whole
  const smallest = 1 / 64;
  const draw = () => {
    view.size = Math.max(smallest, Math.min(1, view.size));
    view.x = Math.max(0, Math.min(1 - view.size, view.x));
    view.y = Math.max(0, Math.min(1 - view.size, view.y));
    for (const { stage, svg, whole } of pictures) {
      svg.setAttribute("viewBox", [whole.x + view.x * whole.width, whole.y + view.y * whole.height,
        view.size * whole.width, view.size * whole.height].map((v) => +v.toFixed(3)).join(" "));
      stage.classList.toggle("moved", view.size < 1);
    }
  };
  // zoom keeps the point at the fractions (x, y) of what is shown where it is.
  const zoom = (factor, x = 0.5, y = 0.5) => {
    const before = view.size;
    view.size = Math.max(smallest, Math.min(1, before / factor));
    view.x += x * (before - view.size);
    view.y += y * (before - view.size);
    draw();
  };
  const pan = (x, y) => { view.x += x * view.size; view.y += y * view.size; draw(); };
  const moves = {
    in: () => zoom(1.5), out: () => zoom(1 / 1.5), reset: () => zoom(0), left: () => pan(-0.2, 0),
    right: () => pan(0.2, 0), up: () => pan(0, -0.2), down: () => pan(0, 0.2),
  };
  const keys = { "+": "in", "=": "in", "-": "out", "_": "out", "0": "reset", ArrowLeft: "left",
    ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };
  all("[data-view]").forEach((button) => button.addEventListener("click", moves[button.dataset.view]));

  for (const { stage, svg } of pictures) {
    const centre = () => { // what stands in the middle, for those who do not point
      const box = svg.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
      const shape = document.elementFromPoint(x, y);
      if (shape && svg.contains(shape)) show(told(shape), x, y);
    };
    stage.addEventListener("keydown", (event) => {
      const move = keys[event.key];
      if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      moves[move]();
      centre();
    });
    const at = (event) => {
      const box = svg.getBoundingClientRect();
      return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    };
    stage.addEventListener("wheel", (event) => {
      if (document.activeElement !== stage && !event.ctrlKey) return; // the page scrolls
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 400), ...at(event));
    }, { passive: false });
    let from = null;
    stage.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      stage.focus({ preventScroll: true });
      from = at(event);
    });
    stage.addEventListener("pointermove", (event) => {
      if (!from) return;
      const to = at(event);
      pan(from[0] - to[0], from[1] - to[1]);
      from = to;
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
      stage.addEventListener(end, () => { from = null; });
    }
  }
})();
