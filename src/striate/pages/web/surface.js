// Draws a speedup surface and its contours from the element `data`; follows the reader's light or dark theme.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { processors, disks, speedup, seconds, bottleneck, resources } = data;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const light_colours = ["#cfe3f6", "#fde6b8", "#f8c9c4", "#cdebcf"];
  const dark_colours = ["#24476a", "#5c4a1c", "#6b2f2b", "#245229"];
  const holes = speedup.some((row) => row.includes(null));

  function described(row, column) {
    const where = [`p = ${processors[row]}`, `d = ${disks[column]}`];
    if (speedup[row][column] === null) return [...where, "the model is not defined here"];
    const bound = resources[bottleneck[row][column]];
    return [...where, `speedup ${speedup[row][column]}`, `${seconds[row][column]} s`, `bottleneck: ${bound}`];
  }

  const texts = speedup.map((row, i) => row.map((_, j) => described(i, j).join("<br>")));

  function nearest(values, wanted) {
    let best = 0;
    values.forEach((value, index) => {
      if (Math.abs(value - wanted) < Math.abs(values[best] - wanted)) best = index;
    });
    return best;
  }

  // Along x the disks, along y the processors: the rows of `speedup` are processors.
  function traces(ink) {
    const surface = {
      type: "surface", x: disks, y: processors, z: speedup, connectgaps: holes, text: texts, hoverinfo: "text",
      colorscale: "Viridis", colorbar: { title: { text: "speedup" }, thickness: 14, len: 0.7 },
      contours: { z: { show: true, usecolormap: true, highlightcolor: ink, project: { z: true } } },
    };
    const colours = dark.matches ? dark_colours : light_colours;
    const steps = colours.flatMap((colour, i) => [[i / 4, colour], [(i + 1) / 4, colour]]);
    const map = {
      type: "heatmap", x: disks, y: processors, z: bottleneck.map((row) => row.map((i) => (i < 0 ? null : i))),
      zmin: -0.5, zmax: 3.5, colorscale: steps, showscale: false, hoverinfo: "skip",
    };
    const lines = {
      type: "contour", x: disks, y: processors, z: speedup, connectgaps: holes, text: texts, hoverinfo: "text",
      contours: { coloring: "none", showlabels: true, labelfont: { color: ink, size: 12 } },
      line: { color: ink, width: 1 }, ncontours: 16, showscale: false,
    };
    return { surface: [surface], contours: [map, lines] };
  }

  function draw() {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink").trim();
    const line = style.getPropertyValue("--line").trim();
    const soft = style.getPropertyValue("--soft").trim();
    const axis = (text) => ({ title: { text }, color: ink, gridcolor: line, zerolinecolor: line });
    const common = { paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: ink },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: soft, activecolor: ink } };
    const { surface, contours } = traces(ink);
    const scene = {
      xaxis: axis("disks d (count)"), yaxis: axis("processors p (count)"), zaxis: axis("speedup (T1 / T)"),
      aspectmode: "cube", camera: { eye: { x: -1.75, y: -1.75, z: 0.8 }, center: { x: 0, y: 0, z: -0.12 } },
    };
    const buttons = (...names) => ({ responsive: true, displaylogo: false, modeBarButtons: [names] });
    const solid = { ...common, scene, margin: { l: 30, r: 0, t: 30, b: 0 } };
    Plotly.react("surface", surface, solid, buttons("toImage", "orbitRotation", "resetCameraDefault3d"));
    const flat = { xaxis: axis("disks d (count)"), yaxis: axis("processors p (count)"), margin: { t: 30, r: 20 } };
    Plotly.react("contours", contours, { ...common, ...flat }, buttons("toImage", "zoom2d", "pan2d", "resetScale2d"));
    const colours = dark.matches ? dark_colours : light_colours;
    const legend = document.getElementById("legend");
    legend.replaceChildren("Contours of speedup over the bottleneck:");
    resources.forEach((name, index) => {
      const chip = document.createElement("span");
      chip.className = "chip";
      chip.style.background = colours[index];
      legend.append(chip, name);
    });
  }

  draw();
  dark.addEventListener("change", draw);
  for (const id of ["surface", "contours"]) {
    document.getElementById(id).on("plotly_hover", (event) => {
      const point = event.points[0];
      const readout = document.getElementById("readout");
      readout.textContent = described(nearest(processors, point.y), nearest(disks, point.x)).join(", ");
    });
  }
})();
