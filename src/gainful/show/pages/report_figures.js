"use strict";
// The figures of a report of sessions: how much sessions gain query by query, and who leads for which searcher.
(() => {
  const { byId, userText, formatNumber } = Elements;
  const data = JSON.parse(byId("data").textContent), { course, searchers } = data;
  const colourOf = (name) => data.systems.indexOf(name);
  const dashOf = (name) => data.dashes[colourOf(name) % data.dashes.length];

  function drawCourse() {
    const end = Math.max(...course.series.map((one) => one.points.length)), lot = course.lot, lots = Math.round(end / lot);
    const describe = (one, position) => {
      const at = Math.min(position, one.points.length) - 1, band = one.band[at];
      return `${formatNumber(one.points[at][1], 3)}${band ? ` (${formatNumber(band[1], 3)} to ${formatNumber(band[2], 3)})` : ""}`;
    };
    Charts.drawLines(byId("course-chart"), {
      label: `Mean ${course.measure} by query and rank`, height: 340, y: { title: `mean ${course.measure}` }, positions: [1, end],
      x: { low: 0, high: end, title: `query, ${lot} ranks each`, grid: Array.from({ length: lots + 1 }, (_, n) => n * lot), ticks: Array.from({ length: lots }, (_, n) => [(n + 0.5) * lot, `Q${n + 1}`]) },
      series: course.series.map((one) => ({ ...one, colour: colourOf(one.name), dash: dashOf(one.name), name: course.series.length > 1 ? one.name : "" })),
      describe: (position) => [`Q${Math.ceil(position / lot)}, rank ${((position - 1) % lot) + 1}: `, ...course.series.flatMap((one, n) => [n ? " · " : "", userText(one.name, { class: `colour-${colourOf(one.name) % 7}` }, 30), ` ${describe(one, position)}`])],
    });
  }

  function drawSearchers() {
    const fields = searchers.names.map((name, g) => ({ colour: colourOf(name), name, leads: searchers.leads[g] })), { b, bq } = searchers;
    Charts.drawMap(byId("searchers-chart"), { b, bq, fields, here: searchers.here, height: 420, label: "The leading system by b and bq" });
  }

  function draw() {
    if (course) drawCourse();
    if (searchers) drawSearchers();
    for (const [id, there] of [["course", course], ["searchers", searchers]]) byId(`${id}-chart`).hidden = !there;
  }
  draw();
  window.addEventListener("resize", draw);
  window.addEventListener("beforeprint", draw);
})();
