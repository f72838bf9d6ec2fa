// Draws observed against fitted values, and relative residuals over p, from the element `data`.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const texts = data.processors.map((p, i) =>
    `p = ${p}, d = ${data.disks[i]}<br>observed ${data.observed[i].toPrecision(5)}` +
    `<br>fitted ${data.fitted[i].toPrecision(5)}<br>residual ${data.residuals[i].toFixed(2)} %`);

  function draw() {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink").trim();
    const line = style.getPropertyValue("--line").trim();
    const soft = style.getPropertyValue("--soft").trim();
    const axis = (text, type) => ({ title: { text }, type, color: ink, gridcolor: line, zerolinecolor: ink });
    const common = { paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: ink } };
    const marker = { color: data.disks, colorscale: "Viridis", size: 8, colorbar: { title: { text: "disks d" } } };
    const points = { type: "scatter", mode: "markers", text: texts, hoverinfo: "text", marker };
    const ends = [Math.min(...data.observed, ...data.fitted), Math.max(...data.observed, ...data.fitted)];
    const equal = { type: "scatter", mode: "lines", x: ends, y: ends, line: { color: ink, dash: "dot" }, hoverinfo: "skip" };
    const names = ["toImage", "zoom2d", "pan2d", "resetScale2d"];
    const options = { responsive: true, displaylogo: false, modeBarButtons: [names] };
    const modebar = { bgcolor: "rgba(0,0,0,0)", color: soft, activecolor: ink };
    const shared = { ...common, modebar, showlegend: false, margin: { t: 30 } };
    Plotly.react("fitted", [equal, { ...points, x: data.observed, y: data.fitted }],
      { ...shared, xaxis: axis(`observed ${data.quantity}`), yaxis: axis(`fitted ${data.quantity}`) }, options);
    Plotly.react("residuals", [{ ...points, x: data.processors, y: data.residuals }],
      { ...shared, xaxis: axis("processors p (count)", "log"), yaxis: axis("residual of the speedup (%)") }, options);
  }

  draw();
  dark.addEventListener("change", draw);
})();
