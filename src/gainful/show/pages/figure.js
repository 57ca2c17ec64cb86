"use strict";
// One chart, as wide as there is room for, in the colours of the page.
(() => {
  const figures = JSON.parse(document.getElementById("data").textContent);
  const place = document.getElementById("figure");
  if (figures.begin) document.documentElement.dataset.theme = figures.begin;
  const paper = window.matchMedia("print");
  let drawCount = 0;

  function fitToPage(spec) {
    const room = place.clientWidth - ((spec.usermeta && spec.usermeta.room) || 80);
    const fit = (panel) => {
      if (typeof panel.width === "number") panel.width = Math.max(140, Math.min(panel.width, room));
    };
    for (const panels of [spec.concat, spec.vconcat, spec.hconcat]) {
      if (panels) panels.forEach(fit);
    }
    if (spec.concat && place.clientWidth < 2 * (spec.concat[0].width + 60)) spec.columns = 1;
    fit(spec);
    if (spec.config) spec.config.font = getComputedStyle(document.body).fontFamily;
    if (spec.usermeta && spec.usermeta.title) delete spec.title; // the page tells it, as text that wraps
    return spec;
  }

  function draw() {
    const dark = window.isDark() && !paper.matches; // paper is white
    const spec = fitToPage(structuredClone(dark ? figures.dark : figures.light));
    const turn = ++drawCount;
    vegaEmbed(place, spec, { mode: "vega-lite", actions: false, renderer: "svg", tooltip: { theme: dark ? "dark" : "light" } })
      .then(() => { if (turn === drawCount) place.dataset.ready = String(turn); });
  }

  let waiting = 0, wide = 0;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { if (place.clientWidth !== wide) { wide = place.clientWidth; draw(); } }, 120);
  });
  document.addEventListener("theme", draw);
  paper.addEventListener("change", draw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  wide = place.clientWidth;
  draw();
})();
