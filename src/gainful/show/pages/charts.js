"use strict";
// Charts of all pages: lines with bands, and the map of who leads for which searcher.
// They are given numbers and names, follow the theme by the style sheet, and answer mouse, touch and keys.
const Charts = (() => {
  const { makeElement, makeSvgElement, shorten, formatNumber } = Elements;
  const AROUND = { left: 54, top: 10, bottom: 40, right: 12 };
  const LETTER = 8, WIDE_LETTER = 9; // pixels of a letter of a label, about; of one on the map

  const scale = (low, high, from, to) => (value) => from + ((value - low) / (high - low || 1)) * (to - from);
  const join = (points, x, y) => points.map(([at, value], n) => `${n && points[n - 1][1] !== null ? "L" : "M"}${x(at).toFixed(1)} ${y(value ?? 0).toFixed(1)}`).filter((_, n) => points[n][1] !== null).join("");
  const text = (words, attributes) => makeSvgElement("text", attributes, words);

  // Round numbers between two ends, and how many decimals they need.
  function findTicks(low, high, most = 5) {
    const power = 10 ** Math.floor(Math.log10((high - low) / most));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => (high - low) / one <= most);
    const ticks = [];
    for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; n++) ticks.push(n * step);
    return { ticks, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
  }

  // The ends of an axis that fits these numbers; zero belongs to it where it is near.
  function fitEnds(values) {
    let low = Infinity, high = -Infinity;
    for (const value of values) if (Number.isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); }
    if (low > high) return [0, 1];
    if (low > 0 && low < 0.4 * high) low = 0;
    const step = (high - low || Math.abs(high) || 1) / 20;
    return [low === 0 ? 0 : low - step, high + step];
  }

  // Labels at the ends of lines, moved apart.
  function spreadLabels(labels, gap, lowest) {
    labels.sort((a, b) => a.y - b.y);
    labels.forEach((label, n) => { label.at = n ? Math.max(label.y, labels[n - 1].at + gap) : label.y; });
    for (let n = labels.length - 1, most = lowest; n >= 0; n--) { labels[n].at = Math.min(labels[n].at, most); most = labels[n].at - gap; }
  }

  // ── lines ──
  // spec: label, height, x {low, high, title, ticks: [[at, words]], grid: [at]}, y {title}, series [{colour, dash, name, points,
  // band: [[at, low, high]]}], behind [{colour, points, title, id}], fit (values the axis is to have), positions, describe(position), onOpen(id)
  function drawLines(place, spec) {
    const labels = spec.series.filter((one) => one.name && one.points.length);
    const longest = labels.reduce((most, one) => Math.max(most, [...one.name].length), 0);
    const width = Math.max(place.wide || place.clientWidth, 200), right = longest ? Math.min(14 + LETTER * longest, 0.36 * width) : AROUND.right;
    const inner = { width: width - AROUND.left - right, height: spec.height - AROUND.top - AROUND.bottom };
    const values = spec.series.flatMap((one) => [...one.points.map((point) => point[1] ?? NaN), ...(one.band ?? []).flatMap(([, low, high]) => [low, high])]);
    const [low, high] = fitEnds([...values, ...(spec.fit ?? [])]);
    const x = scale(spec.x.low, spec.x.high, 0, inner.width), y = scale(low, high, inner.height, 0);
    const { ticks, digits } = findTicks(low, high, inner.height < 120 ? 3 : 5);
    const plot = makeSvgElement("g", { transform: `translate(${AROUND.left} ${AROUND.top})` });
    const clip = `clip-${place.id}`;
    plot.append(
      makeSvgElement("clipPath", { id: clip }, makeSvgElement("rect", { x: -4, y: -2, width: inner.width + 8, height: inner.height + 4 })),
      ...spec.x.grid.map((at) => makeSvgElement("line", { class: "grid", x1: x(at), x2: x(at), y1: 0, y2: inner.height })),
      ...ticks.map((tick) => makeSvgElement("line", { class: tick === 0 && low < 0 ? "zero" : "grid", x1: 0, x2: inner.width, y1: y(tick), y2: y(tick) })),
      ...ticks.map((tick) => text(tick.toFixed(digits), { class: "tick", x: -8, y: y(tick), "text-anchor": "end", "dominant-baseline": "middle" })),
      ...thinTicks(spec.x.ticks, x).map(([at, words]) => text(words, { class: "tick", x: x(at), y: inner.height + 16, "text-anchor": "middle" })),
      text(spec.x.title, { class: "title", x: inner.width / 2, y: inner.height + 34, "text-anchor": "middle" }),
      text(spec.y.title, { class: "title", transform: `translate(-42 ${inner.height / 2}) rotate(-90)`, "text-anchor": "middle" }));
    const lines = makeSvgElement("g", { "clip-path": `url(#${clip})` });
    for (const one of spec.behind ?? []) {
      lines.append(makeSvgElement("path", { class: one.chosen ? "single chosen" : "single", d: join(one.points, x, y), style: { "--colour": `var(--series-${one.colour % 7})` } }));
    }
    for (const one of spec.series) if (one.band?.length) {
      const sides = [...one.band.map(([at, , top]) => [at, top]), ...one.band.map(([at, bottom]) => [at, bottom]).reverse()];
      lines.append(makeSvgElement("path", { class: "band", d: `${join(sides, x, y)}Z`, style: { fill: `var(--series-${one.colour % 7})` } }));
    }
    for (const one of spec.series) {
      lines.append(makeSvgElement("path", { class: "line", d: join(one.points, x, y), style: { stroke: one.ink ? "var(--ink)" : `var(--series-${one.colour % 7})`, "stroke-dasharray": (one.dash ?? [1, 0]).join(" "), "stroke-width": one.thin ? 1.5 : 2.5 } }));
    }
    for (const one of spec.behind ?? []) { // a wide unseen line and a dot take the clicks
      const last = one.points[one.points.length - 1];
      if (last[1] === null) continue;
      const open = { onclick: () => spec.onOpen(one.id) };
      lines.append(makeSvgElement("path", { class: "catch", d: join(one.points, x, y), ...open }, makeSvgElement("title", {}, one.title)),
        makeSvgElement("circle", { class: "stop", cx: x(last[0]), cy: y(last[1]), r: 2.6, style: { fill: `var(--series-${one.colour % 7})` }, ...open }, makeSvgElement("title", {}, one.title)));
    }
    const ends = labels.map((one) => ({ one, y: y([...one.points].reverse().find((point) => point[1] !== null)?.[1] ?? low) }));
    spreadLabels(ends, 15, inner.height);
    const letters = Math.max(2, Math.floor((right - 10) / LETTER));
    const marks = makeSvgElement("g", { class: "cursor", visibility: "hidden" });
    plot.append(lines, marks, ...ends.map(({ one, at }) => text(shorten(one.name, letters), { class: "end", x: inner.width + 7, y: at, "dominant-baseline": "middle", style: { fill: one.ink ? "var(--ink)" : `var(--name-${one.colour % 7})` } })));
    place.replaceChildren(makeSvgElement("svg", { width, height: spec.height, role: "img", tabindex: 0, "aria-label": `${spec.label}. Arrow keys read the values.` }, plot), place.readout ??= makeElement("p", { class: "readout quiet" }, "\u00a0"));
    place.state = { spec, x, y, inner, marks };
    if (!place.listens) listenForPointer(place);
    if (place.position !== undefined && place.position !== null) readAt(place, place.position);
  }

  // Of ticks those with enough room for the longest of their labels.
  function thinTicks(ticks, x, needed = Math.max(24, LETTER * ticks.reduce((most, [, words]) => Math.max(most, words.length), 0) + 8)) {
    let last = -Infinity;
    return ticks.filter(([at]) => {
      const here = x(at);
      if (here - last < needed) return false;
      last = here;
      return true;
    });
  }

  // What all lines are worth at one position: a rule through them, dots, and words below the chart.
  function readAt(place, position) {
    const { spec, x, y, inner, marks } = place.state, within = Math.min(Math.max(position, spec.positions[0]), spec.positions[1]);
    place.position = within;
    const dots = spec.series.map((one) => [one, one.points.find(([at]) => at >= within) ?? one.points[one.points.length - 1]]).filter(([one, point]) => point && point[1] !== null && !one.silent);
    marks.replaceChildren(makeSvgElement("line", { x1: x(within), x2: x(within), y1: 0, y2: inner.height }),
      ...dots.map(([one, point]) => makeSvgElement("circle", { cx: x(within), cy: y(point[1]), r: 4, style: { fill: one.ink ? "var(--ink)" : `var(--series-${one.colour % 7})` } })));
    marks.setAttribute("visibility", "visible");
    place.readout.replaceChildren(...spec.describe(within));
  }

  function listenForPointer(place) {
    place.listens = true;
    const leave = () => { place.position = null; place.state.marks.setAttribute("visibility", "hidden"); place.readout.replaceChildren("\u00a0"); };
    const move = (event) => {
      const { spec, inner } = place.state, box = place.firstChild.getBoundingClientRect();
      readAt(place, Math.round(scale(0, inner.width, spec.x.low, spec.x.high)(event.clientX - box.left - AROUND.left)));
    };
    place.addEventListener("pointermove", move);
    place.addEventListener("pointerdown", move);
    place.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") leave(); });
    place.addEventListener("focusout", () => { place.readout.removeAttribute("aria-live"); leave(); });
    place.addEventListener("keydown", (event) => {
      const [first, last] = place.state.spec.positions, here = place.position ?? first - 1;
      const goal = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: first, End: last, PageDown: here + 10, PageUp: here - 10 }[event.key];
      if (event.key === "Escape") leave();
      if (goal === undefined) return;
      event.preventDefault();
      place.readout.setAttribute("aria-live", "polite");
      readAt(place, goal);
    });
  }

  // ── the map ──
  const TICKS = [1.05, 1.1, 1.2, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50];
  const within = (value, bases) => Math.min(Math.max(value, bases[0]), bases[bases.length - 1]);
  const logScale = (bases, from, to) => { const to_ = scale(Math.log(bases[0]), Math.log(bases[bases.length - 1]), from, to); return (value) => to_(Math.log(within(value, bases))); };

  // The part of the plane where a field is above zero, cell by cell of the grid, with straight edges between; and its border.
  function outline(bs, bqs, field, x, y) {
    let area = "", border = "";
    const value = (i, j) => field[i * bqs.length + j], write = (all) => all.map(([px, py], n) => `${n ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
    for (let i = 0; i + 1 < bs.length; i++) for (let j = 0; j + 1 < bqs.length; j++) {
      let top = j; // cells that are whole become one rectangle
      while (top + 1 < bqs.length && [[i, top], [i + 1, top], [i, top + 1], [i + 1, top + 1]].every(([k, l]) => value(k, l) > 0)) top++;
      if (top > j) {
        area += `M${x(bs[i]).toFixed(1)} ${y(bqs[j]).toFixed(1)}H${x(bs[i + 1]).toFixed(1)}V${y(bqs[top]).toFixed(1)}H${x(bs[i]).toFixed(1)}Z`;
        j = top - 1;
        continue;
      }
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]], points = [], cuts = [];
      corners.forEach(([ci, cj], n) => {
        const [ni, nj] = corners[(n + 1) % 4], here = value(ci, cj), next = value(ni, nj);
        const from = [x(bs[ci]), y(bqs[cj])], to = [x(bs[ni]), y(bqs[nj])];
        if (here > 0) points.push(from);
        if (here > 0 !== next > 0) {
          const share = here / (here - next), cut = [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])];
          points.push(cut);
          cuts.push(cut);
        }
      });
      if (points.length) area += `${write(points)}Z`;
      for (let n = 0; n + 1 < cuts.length; n += 2) border += write(cuts.slice(n, n + 2));
    }
    return { area, border };
  }

  // Where a name has most room: the point of a region that is farthest from every other and from the edges.
  function findRoom(bs, bqs, field) {
    let best = null;
    for (let i = 1; i + 1 < bs.length; i++) for (let j = 1; j + 1 < bqs.length; j++) {
      if (!(field[i * bqs.length + j] > 0)) continue;
      let room = Math.min(i, j, bs.length - 1 - i, bqs.length - 1 - j) + 0.5;
      for (let k = 0; k < bs.length; k++) for (let l = 0; l < bqs.length; l++) if (!(field[k * bqs.length + l] > 0)) room = Math.min(room, Math.max(Math.abs(k - i) * 0.6, Math.abs(l - j)));
      if (!best || room > best.room) best = { room, i, j };
    }
    return best && best.room >= 1 ? best : null;
  }

  // spec: b, bq (bases of the grid), fields [{colour, name, leads, sure}] (above zero where a group leads, and where by more than
  // chance), here {b, bq}, measured {b: [low, value, high], bq: …}, onMove(b, bq), label
  function drawMap(place, spec) {
    const width = Math.max(place.wide || place.clientWidth, 220), height = Math.min(spec.height ?? 300, Math.max(230, 0.9 * width));
    const inner = { width: width - 48 - 10, height: height - 8 - 38 };
    const x = logScale(spec.b, 0, inner.width), y = logScale(spec.bq, inner.height, 0);
    const plot = makeSvgElement("g", { transform: "translate(48 8)" }, makeSvgElement("rect", { class: "ground", width: inner.width, height: inner.height }));
    const names = [];
    for (const one of spec.fields) {
      const leads = outline(spec.b, spec.bq, one.leads, x, y), sure = one.sure && outline(spec.b, spec.bq, one.sure, x, y), colour = { fill: `var(--series-${one.colour % 7})` };
      plot.append(makeSvgElement("path", { class: "leads", d: leads.area, style: colour }), ...(sure ? [makeSvgElement("path", { class: "sure", d: sure.area, style: colour })] : []), makeSvgElement("path", { class: "border", d: leads.border }));
      const room = findRoom(spec.b, spec.bq, one.leads);
      if (!room) continue;
      const words = shorten(one.name, Math.max(4, Math.floor((0.8 * inner.width) / WIDE_LETTER))), half = (WIDE_LETTER * [...words].length) / 2 + 4;
      names.push(text(words, { class: "name", x: Math.min(Math.max(x(spec.b[room.i]), half), Math.max(inner.width - half, half)), y: y(spec.bq[room.j]) + 4, "text-anchor": "middle" }));
    }
    const ticks = (bases, toPixel, needed) => thinTicks(TICKS.filter((tick) => tick >= bases[0] - 1e-9 && tick <= bases[bases.length - 1] + 1e-9).map((tick) => [tick, String(tick)]), toPixel, needed);
    plot.append(
      ...ticks(spec.b, x).map(([at, words]) => text(words, { class: "tick", x: x(at), y: inner.height + 15, "text-anchor": "middle" })),
      ...ticks(spec.bq, (base) => -y(base), 20).map(([at, words]) => text(words, { class: "tick", x: -6, y: y(at), "text-anchor": "end", "dominant-baseline": "middle" })),
      text("b: reads further down →", { class: "title", x: inner.width / 2, y: inner.height + 33, "text-anchor": "middle" }),
      text("bq: asks more queries →", { class: "title", transform: `translate(-36 ${inner.height / 2}) rotate(-90)`, "text-anchor": "middle" }));
    if (spec.measured) {
      const [bLow, bMid, bHigh] = spec.measured.b.map(x), [low, middle, high] = spec.measured.bq.map(y);
      const box = { x: bLow, y: high, width: bHigh - bLow, height: low - high };
      plot.append(makeSvgElement("rect", { class: "halo", ...box }), makeSvgElement("rect", { class: "measured", ...box }), makeSvgElement("path", { class: "cross", d: `M${bMid - 6} ${middle}H${bMid + 6}M${bMid} ${middle - 6}V${middle + 6}` }));
    }
    plot.append(...names);
    if (spec.here) plot.append(makeSvgElement("path", { class: "hair" }), makeSvgElement("circle", { class: "ring", r: 7 }));
    const svg = makeSvgElement("svg", { width, height, role: spec.onMove ? "application" : "img", tabindex: 0, "aria-label": spec.label, "aria-roledescription": spec.onMove ? "map" : null }, plot);
    const held = place.contains(document.activeElement);
    place.replaceChildren(svg, place.readout ??= makeElement("p", { class: "readout quiet" }, "\u00a0"));
    if (held) svg.focus({ preventScroll: true });
    place.state = { spec, inner, x, y };
    if (spec.here) moveRing(place, spec.here);
    if (!place.listens) listenOnMap(place);
  }

  // Puts the ring of a map to other bases.
  function moveRing(place, { b, bq }) {
    const { inner, x, y } = place.state, [hair, ring] = ["hair", "ring"].map((name) => place.querySelector(`.${name}`));
    hair.setAttribute("d", `M${x(b)} 0V${inner.height}M0 ${y(bq)}H${inner.width}`);
    ring.setAttribute("cx", x(b));
    ring.setAttribute("cy", y(bq));
  }

  // Who leads at a point of a map, by the nearest of its grid.
  function describePoint({ b: bs, bq: bqs, fields }, b, bq) {
    const nearest = (bases, value) => bases.reduce((best, base, n) => (Math.abs(Math.log(base / value)) < Math.abs(Math.log(bases[best] / value)) ? n : best), 0);
    const cell = nearest(bs, b) * bqs.length + nearest(bqs, bq), leader = fields.find((field) => field.leads[cell] > 0);
    return `b = ${b}, bq = ${bq}: ${leader ? `${shorten(leader.name, 40)} leads by ${formatNumber(leader.leads[cell], 3)}${!leader.sure || leader.sure[cell] > 0 ? "" : ", not significant"}` : "no group leads"}`;
  }

  function listenOnMap(place) {
    place.listens = true;
    const round = (value) => +value.toPrecision(3);
    const locate = (event) => {
      const { spec, inner } = place.state, box = place.firstChild.getBoundingClientRect();
      const share = (value) => Math.min(Math.max(value, 0), 1);
      const base = (bases, part) => round(bases[0] * (bases[bases.length - 1] / bases[0]) ** share(part));
      return [base(spec.b, (event.clientX - box.left - 48) / inner.width), base(spec.bq, 1 - (event.clientY - box.top - 8) / inner.height)];
    };
    place.addEventListener("pointermove", (event) => {
      const [b, bq] = locate(event);
      place.readout.textContent = describePoint(place.state.spec, b, bq);
      if (event.buttons) place.state.spec.onMove?.(b, bq);
    });
    place.addEventListener("pointerdown", (event) => { place.state.spec.onMove?.(...locate(event)); });
    place.addEventListener("pointerleave", () => { place.readout.textContent = "\u00a0"; });
    place.addEventListener("keydown", (event) => {
      const step = { ArrowRight: [1.1, 1], ArrowLeft: [1 / 1.1, 1], ArrowUp: [1, 1.1], ArrowDown: [1, 1 / 1.1] }[event.key], { spec } = place.state;
      if (!step || !spec.onMove) return;
      event.preventDefault();
      spec.onMove(round(within(spec.here.b * step[0], spec.b)), round(within(spec.here.bq * step[1], spec.bq)));
    });
  }

  return { drawLines, drawMap, moveRing, findTicks };
})();
