"use strict";
// One chart, as wide as there is room for, in the colours of the page.
(() => {
  const both = JSON.parse(document.getElementById("data").textContent);
  const place = document.getElementById("figure");
  if (both.begin) document.documentElement.dataset.theme = both.begin;
  const paper = window.matchMedia("print");
  let drawn = 0;

  function fitted(spec) {
    const room = place.clientWidth - ((spec.usermeta && spec.usermeta.room) || 80);
    const fit = (one) => {
      if (typeof one.width === "number") one.width = Math.max(140, Math.min(one.width, room));
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
    const spec = fitted(structuredClone(dark ? both.dark : both.light));
    const turn = ++drawn;
    vegaEmbed(place, spec, { mode: "vega-lite", actions: false, renderer: "svg", tooltip: { theme: dark ? "dark" : "light" } })
      .then(() => { if (turn === drawn) place.dataset.ready = String(turn); });
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
