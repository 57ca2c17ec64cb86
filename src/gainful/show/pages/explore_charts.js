"use strict";
// The charts, as Vega draws them. They are given rows and know nothing of sessions.
// User text comes as data only; every name of a field is ours.
const Charts = (() => {
  // Colours are variables of the style sheet: they follow the theme by themselves.
  const tones = Object.fromEntries(["ink", "line", "paper"].map((name) => [name, `var(--${name})`]));
  const colour = { name: "colour", type: "ordinal", domain: [0, 1, 2, 3, 4, 5, 6], range: "category" };
  const dash = { signal: "dashes[datum.group % length(dashes)]" };
  const signal = (name, value) => ({ name, value });

  // Places of sessions, in lots of X ranks, each named by its query.
  const queryAxis = {
    scales: [{ name: "x", type: "linear", domain: { signal: "[0, most * lot]" }, range: "width", zero: false, nice: false }],
    axes: [
      { scale: "x", orient: "bottom", grid: true, labels: false, ticks: false, values: { signal: "sequence(0, most * lot + 1, lot)" } },
      {
        scale: "x", orient: "bottom", ticks: false, domain: false, title: { signal: "'query, ' + lot + (lot > 1 ? ' ranks' : ' rank') + ' each'" },
        values: { signal: "sequence(lot / 2, most * lot, lot)" }, labelOverlap: true,
        encode: { labels: { update: { text: { signal: "'Q' + ceil(datum.value / lot)" } } } },
      },
    ],
    signals: [signal("lot", 10), signal("most", 1)],
  };
  const valueAxis = (title) => ({
    scale: { name: "y", type: "linear", domain: { signal: "[low, high]" }, range: "height", nice: false, zero: false },
    axis: { scale: "y", orient: "left", grid: true, tickCount: 5, title: { signal: title }, domain: false, format: { signal: "format_" } },
    signals: [signal("low", 0), signal("high", 1), signal("format_", ".2f"), signal("title_", "")],
  });

  const endLabels = (source) => ({
    type: "text", from: { data: source },
    encode: { update: {
      x: { signal: "width + 6" }, y: { scale: "y", field: "label" }, text: { field: "name" }, baseline: { value: "middle" },
      fill: { scale: "colour", field: "group" }, fontWeight: { value: 600 }, limit: { signal: "room - 8" }, tooltip: { field: "fullName" },
    } },
  });

  const AROUND = { left: 58, top: 8, bottom: 42 };
  const baseSpec = (description, height, extra) => ({
    $schema: "https://vega.github.io/schema/vega/v6.json", description, height: height - AROUND.top - AROUND.bottom, autosize: "none", ...extra,
  });

  // As wide as its place, with room for the labels at its right.
  function fitWidth(name, view, labels = []) {
    const longest = labels.reduce((most, label) => Math.max(most, [...label.name].length), 0);
    const available = document.getElementById(name).clientWidth;
    const right = labels.length ? Math.min(16 + 7 * longest, 150, 0.36 * available) : 10;
    view.padding({ ...AROUND, right }).width(Math.max(available - AROUND.left - right, 60));
    return labels.length ? view.signal("room", right) : view;
  }

  // The mean vector of each group.
  function curves(dashes) {
    const y = valueAxis("title_");
    return baseSpec("Mean curves of groups, by query and rank", 320, {
      signals: [...queryAxis.signals, ...y.signals, signal("dashes", dashes), signal("room", 90)],
      data: [{ name: "rows" }, { name: "ends" }],
      scales: [...queryAxis.scales, y.scale, colour],
      axes: [...queryAxis.axes, y.axis],
      marks: [
        {
          type: "group", from: { facet: { name: "series", data: "rows", groupby: "group" } },
          marks: [{ type: "line", from: { data: "series" }, encode: { update: {
            x: { scale: "x", field: "position" }, y: { scale: "y", field: "mean" }, defined: { signal: "isValid(datum.mean)" },
            stroke: { scale: "colour", field: "group" }, strokeDash: dash, strokeWidth: { value: 2.5 }, tooltip: { field: "name" },
          } } }],
        },
        endLabels("ends"),
      ],
    });
  }

  // Single sessions to where their searchers stopped; a wide unseen line takes the clicks.
  function lines(dashes) {
    const y = valueAxis("title_");
    const point = { x: { scale: "x", field: "position" }, y: { scale: "y", field: "mean" }, defined: { signal: "isValid(datum.mean)" } };
    const own = { stroke: { scale: "colour", field: "group" } };
    return baseSpec("Single sessions, by query and rank; dots are where searchers stopped", 300, {
      signals: [...queryAxis.signals, ...y.signals, signal("dashes", dashes), signal("room", 0)],
      data: [{ name: "rows" }, { name: "stops" }, { name: "selected" }],
      scales: [...queryAxis.scales, y.scale, colour],
      axes: [...queryAxis.axes, y.axis],
      marks: [
        {
          type: "group", from: { facet: { name: "series", data: "rows", groupby: "session" } },
          marks: [
            { type: "line", from: { data: "series" }, interactive: false, encode: { update: { ...point, ...own, strokeWidth: { value: 1.2 }, strokeOpacity: { value: 0.55 } } } },
            { type: "line", from: { data: "series" }, encode: { update: { ...point, ...own, strokeWidth: { value: 9 }, strokeOpacity: { value: 0 }, cursor: { value: "pointer" }, tooltip: { field: "name" } } } },
          ],
        },
        { type: "symbol", from: { data: "stops" }, encode: { update: { ...point, fill: { scale: "colour", field: "group" }, size: { value: 28 }, stroke: { value: tones.paper }, strokeWidth: { value: 0.7 }, cursor: { value: "pointer" }, tooltip: { field: "name" } } } },
        { type: "line", from: { data: "selected" }, interactive: false, encode: { update: { ...point, stroke: { value: tones.ink }, strokeWidth: { value: 2.5 } } } },
      ],
    });
  }

  // What the last query of sessions gained down to each rank, and the queries before it.
  function last(dashes) {
    const y = valueAxis("title_");
    return baseSpec("Mean gain of last queries and of queries before them, by rank", 300, {
      signals: [...y.signals, signal("lot", 10), signal("dashes", dashes), signal("room", 130)],
      data: [{ name: "rows" }, { name: "ends" }],
      scales: [{ name: "x", type: "linear", domain: { signal: "[1, max(lot, 2)]" }, range: "width", nice: false, zero: false }, y.scale, colour],
      axes: [{ scale: "x", orient: "bottom", title: "rank", format: "d", values: { signal: "sequence(1, lot + 1, ceil(lot / 10))" }, grid: false }, y.axis],
      marks: [
        {
          type: "group", from: { facet: { name: "series", data: "rows", groupby: ["group", "which"] } },
          marks: [{ type: "line", from: { data: "series" }, encode: { update: {
            x: { scale: "x", field: "position" }, y: { scale: "y", field: "mean" }, stroke: { scale: "colour", field: "group" },
            strokeWidth: { signal: "datum.which === 'last' ? 2.5 : 1.5" }, strokeDash: { signal: "datum.which === 'last' ? [1, 0] : [4, 3]" }, tooltip: { field: "name" },
          } } }],
        },
        endLabels("ends"),
      ],
    });
  }

  // Who wins for which b and bq, and where one is now.
  function map() {
    const logScale = (name, range, field) => ({ name, type: "log", base: 10, domain: { signal: `${field}Range` }, range, nice: false });
    const ticks = { format: "~g", grid: false, domain: false, labelOverlap: true };
    const box = { x: { scale: "x", field: "b0" }, x2: { scale: "x", field: "b1" }, y: { scale: "y", field: "q0" }, y2: { scale: "y", field: "q1" } };
    return baseSpec("Which group wins for which b and bq", 300, {
      signals: [signal("bRange", [1.5, 10]), signal("bqRange", [1.5, 10]), signal("bTicks", []), signal("bqTicks", [])],
      data: [{ name: "cells" }, { name: "boundary" }, { name: "here" }, { name: "measured" }],
      scales: [logScale("x", "width", "b"), logScale("y", "height", "bq"), colour],
      axes: [
        { ...ticks, values: { signal: "bTicks" }, scale: "x", orient: "bottom", title: "b: patient to read on →" },
        { ...ticks, values: { signal: "bqTicks" }, scale: "y", orient: "left", title: "bq: patient to ask again →" },
      ],
      marks: [
        { type: "rect", from: { data: "cells" }, encode: { update: {
          ...box,
          fill: { signal: `datum.group < 0 ? '${tones.line}' : scale('colour', datum.group)` }, fillOpacity: { field: "strength" },
          cursor: { value: "pointer" }, tooltip: { field: "text" },
        } } },
        { type: "rule", from: { data: "boundary" }, interactive: false, encode: { update: { ...box, stroke: { value: tones.ink }, strokeWidth: { value: 1.5 }, strokeCap: { value: "square" } } } },
        // The interval of what was measured in a log, on a halo that keeps it readable on any colour.
        { type: "rect", from: { data: "measured" }, interactive: false, encode: { update: { ...box, stroke: { value: tones.paper }, strokeWidth: { value: 4 }, fillOpacity: { value: 0 } } } },
        { type: "rect", from: { data: "measured" }, interactive: false, encode: { update: { ...box, stroke: { value: tones.ink }, strokeWidth: { value: 1.75 }, strokeDash: { value: [5, 3] }, fill: { value: tones.paper }, fillOpacity: { value: 0.25 } } } },
        { type: "symbol", from: { data: "measured" }, interactive: false, encode: { update: { x: { scale: "x", field: "b" }, y: { scale: "y", field: "bq" }, shape: { value: "cross" }, size: { value: 70 }, fill: { value: tones.ink }, stroke: { value: tones.paper }, strokeWidth: { value: 1 } } } },
        { type: "rule", from: { data: "here" }, interactive: false, encode: { update: { x: { scale: "x", field: "b" }, y: { value: 0 }, y2: { signal: "height" }, stroke: { value: tones.ink }, strokeOpacity: { value: 0.35 } } } },
        { type: "rule", from: { data: "here" }, interactive: false, encode: { update: { y: { scale: "y", field: "bq" }, x: { value: 0 }, x2: { signal: "width" }, stroke: { value: tones.ink }, strokeOpacity: { value: 0.35 } } } },
        { type: "symbol", from: { data: "here" }, interactive: false, encode: { update: { x: { scale: "x", field: "b" }, y: { scale: "y", field: "bq" }, size: { value: 150 }, fill: { value: tones.paper }, stroke: { value: tones.ink }, strokeWidth: { value: 3 } } } },
      ],
    });
  }

  const specs = { curves, lines, last, map };

  // A chart in its place, as wide as that is.
  async function drawChart(name, look) {
    const place = document.getElementById(name);
    const { font, ...config } = look.config;
    config.background = "transparent";
    config.axis = { ...config.axis, labelFont: font, titleFont: font };
    config.text = { ...config.text, font };
    const spec = { ...specs[name](look.dashes), width: 60, config };
    const plain = { mode: "vega", renderer: "svg", actions: false, tooltip: false, defaultStyle: false, hover: false };
    return (await vegaEmbed(place, spec, plain)).view; // without its tooltips a text is a title, no markup
  }

  return { drawChart, fitWidth, names: Object.keys(specs) };
})();
