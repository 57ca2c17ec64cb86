"use strict";
// The controls, and what follows from them: settings → numbers → charts, tables and words.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { element, said, short, number } = Session;
  const at = (id) => document.getElementById(id);
  const study = Curves.laidOut(data), start = data.start, DRAWN = 60;
  const HABITS = ["discount", "query_discount", "duplicates", "ideal", "hold"];
  const set = {}, words = Words(data, study, set), { discount, weightsAre, fewest } = words;
  let selected = null, charts = {}, found = null, settled = null;

  // ── settings ──
  function begin() {
    Object.assign(set, {
      normalised: start.normalised, b: start.b, bq: start.bq, x: start.x, gain: 0, weights: [...data.gains[0].weights],
      by: start.by, where: Object.create(null), least: fewest,
    });
    for (const name of HABITS) set[name] = start[name];
  }

  // ── what things are called ──
  function called(code, by = set.by) {
    if (by === null) return "all sessions";
    const value = study.columns.get(by).values[code];
    return value === null ? `no ${by}` : /^\d+$|^.$/u.test(value) ? `${by} ${value}` : value;
  }
  const groupOf = (s) => (set.by === null ? 0 : study.columns.get(set.by).code[s]);

  // ── from settings to the page ──
  let waiting = false;
  function later() { // however many inputs come before the next picture, it is drawn once
    if (waiting) return;
    waiting = true;
    settled = new Promise((done) => { requestAnimationFrame(() => { waiting = false; done(now()); }); });
  }

  async function now() {
    found = Curves.computed(study, set);
    const none = found.some.length === 0;
    at("all").hidden = none;
    const trouble = none ? "No session is left: choose fewer conditions."
      : !found.any ? "No result that counts is worth anything here, so there is nothing to compare: every value is zero."
      : found.groups.every((group) => Number.isNaN(group.mean)) ? "There is nothing to find in any of these sessions, and such sessions are left out: there is no mean." : "";
    at("said").textContent = trouble;
    at("said").hidden = !trouble;
    words.told();
    if (none || !charts.curves) return;
    groups();
    pickable();
    session();
    await Promise.all(draw().map((view) => view.runAsync()));
  }

  function groups() {
    at("group-column").textContent = set.by ?? "group";
    const rows = found.groups.map((group) => {
      const row = element("tr"), name = element("th");
      name.scope = "row";
      name.append(key(group.code), said("span", called(group.code), "", 60));
      row.append(name, ...[group.sessions, group.queries, number(group.mean)].map((value) => element("td", value, "number")));
      return row;
    });
    at("groups").tBodies[0].replaceChildren(...rows);
  }

  // The colour and dash by which the charts draw a group.
  function key(code) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), line = document.createElementNS(svg.namespaceURI, "line");
    for (const [name, value] of Object.entries({ width: 28, height: 10, class: "key", "aria-hidden": "true" })) svg.setAttribute(name, value);
    const dash = data.look.dashes[code % data.look.dashes.length].join(" ");
    for (const [name, value] of Object.entries({ x1: 0, x2: 28, y1: 5, y2: 5, "stroke-width": 3, stroke: `var(--series-${code % 7})`, "stroke-dasharray": dash })) line.setAttribute(name, value);
    svg.append(line);
    return svg;
  }

  function swatch(code) {
    const made = element("span", undefined, "swatch");
    made.style.background = `var(--series-${code % 7})`;
    return made;
  }

  // ── charts ──
  async function make() {
    const names = Charts.names.filter((name) => name !== "map" || !data.map.why);
    const views = await Promise.all(names.map((name) => Charts.drawn(name, data.look)));
    charts = Object.fromEntries(names.map((name, n) => [name, views[n]]));
    charts.lines.addEventListener("click", (_, item) => { if (item?.datum && "session" in item.datum) select(item.datum.session); });
    charts.map?.addEventListener("click", (_, item) => {
      if (item?.datum && "b0" in item.datum) { Object.assign(set, { b: item.datum.b, bq: item.datum.bq }); show(); later(); }
    });
    if (charts.map) cells(charts.map);
    // What is drawn can be asked for, once it is: await explored.settled(); explored.charts.curves.data("rows")
    window.explored = { charts, settled: () => settled };
  }

  // Ends of an axis, and labels at the ends of lines moved apart.
  function scaled(view, values, ends, height, title) {
    let low = 0, high = 0;
    for (const value of values) { if (value < low) low = value; if (value > high) high = value; }
    if (high === low) high = low + 1;
    const step = (high - low) / 20;
    high += step;
    if (low < 0) low -= step;
    const gap = ((high - low) * 15) / (height - 50);
    ends.sort((one, other) => one.mean - other.mean);
    ends.forEach((end, n) => { end.label = n ? Math.max(end.mean, ends[n - 1].label + gap) : end.mean; });
    let most = high;
    for (let n = ends.length - 1; n >= 0; n--) { ends[n].label = Math.min(ends[n].label, most); most = ends[n].label - gap; }
    const wide = high - low, format = wide < 0.1 ? ".3f" : wide < 5 ? ".2f" : wide < 1e4 ? "~f" : "~s";
    view.signal("low", low).signal("high", high).signal("format_", format).signal("title_", title);
  }

  function draw() {
    const x = set.x, title = set.normalised ? "share of the ideal" : "gain";
    const longest = found.groups.reduce((most, group) => Math.max(most, group.longest), 1);
    const rows = [], ends = [];
    for (const group of found.groups) {
      const name = called(group.code), told = short(name, 24);
      group.curve.forEach((mean, p) => rows.push({ group: group.code, name: told, position: p + 1, mean: Number.isNaN(mean) ? null : mean }));
      const end = longest * x; // held to the end of the longest session of all
      if (set.hold !== "growing" && group.curve.length < end && !Number.isNaN(group.mean)) rows.push({ group: group.code, name: told, position: end, mean: group.mean, held: true });
      if (!Number.isNaN(group.mean)) ends.push({ group: group.code, name: told, whole: short(name, 400), mean: group.mean });
    }
    scaled(charts.curves, rows.map((row) => row.mean), ends, 320, title);
    Charts.fitted("curves", charts.curves, ends).signal("lot", x).signal("most", longest).data("rows", rows).data("ends", ends);

    const drawn = sample(found.some), single = [], stops = [];
    for (const s of drawn) {
      const name = short(data.sessions.names[s], 60), line = found.line(s);
      line.forEach((mean, p) => single.push({ session: s, group: groupOf(s), name, position: p + 1, mean: Number.isNaN(mean) ? null : mean }));
      stops.push(single[single.length - 1]);
    }
    const line = selected === null || !found.some.includes(selected) ? [] : Array.from(found.line(selected), (mean, p) => ({ position: p + 1, mean }));
    scaled(charts.lines, [...single, ...line].map((row) => row.mean), [], 300, title);
    Charts.fitted("lines", charts.lines).signal("lot", x).signal("most", longest).data("rows", single).data("stops", stops).data("selected", line);
    at("drawn").textContent = drawn.length < found.some.length ? `${drawn.length} of ${found.some.length} sessions are drawn, evenly chosen.` : drawn.length === 1 ? "There is one session." : `All ${drawn.length} sessions are drawn.`;

    const last = [], tips = [];
    for (const group of found.groups) {
      for (const [which, mean] of [["last", group.last], ["others", group.others]]) {
        if (mean === null) continue;
        const name = `${short(set.by === null ? "" : called(group.code), 14)} ${which === "last" ? "last" : "before"}`.trim();
        mean.forEach((value, i) => last.push({ group: group.code, which, name, position: i + 1, mean: value }));
        tips.push({ group: group.code, name, whole: name, mean: mean[x - 1] });
      }
    }
    scaled(charts.last, last.map((row) => row.mean), tips, 300, "gain of a query");
    Charts.fitted("last", charts.last, tips).signal("lot", x).data("rows", last).data("ends", tips);
    here();
    return Object.values(charts);
  }

  // At most so many sessions, evenly spread, the selected one among them.
  function sample(some) {
    if (some.length <= DRAWN) return some;
    const few = Array.from({ length: DRAWN }, (_, n) => some[Math.floor((n * some.length) / DRAWN)]);
    if (selected !== null && some.includes(selected) && !few.includes(selected)) few[DRAWN - 1] = selected;
    return few;
  }

  function cells(view) {
    const { b, bq, won, ahead, by } = data.map, most = Math.max(...ahead) || 1;
    const edges = (bases) => [...bases, NaN].map((base, n) => (n === 0 ? base : n === bases.length ? bases[n - 1] : Math.sqrt(base * bases[n - 1])));
    const bs = edges(b), qs = edges(bq);
    const rows = won.map((group, n) => {
      const i = Math.floor(n / bq.length), j = n % bq.length;
      const told = group < 0 ? "nobody wins" : `${short(called(group, by), 40)} by ${number(ahead[n])}`;
      return { group, b: +b[i].toPrecision(3), bq: +bq[j].toPrecision(3), b0: bs[i], b1: bs[i + 1], q0: qs[j], q1: qs[j + 1], strength: 0.3 + (0.6 * ahead[n]) / most, told: `b = ${b[i].toPrecision(3)}, bq = ${bq[j].toPrecision(3)}: ${told}` };
    });
    view.signal("bRange", [b[0], b[b.length - 1]]).signal("bqRange", [bq[0], bq[bq.length - 1]]);
    const between = []; // the edges of cells where the winner changes
    rows.forEach((row, n) => {
      const right = rows[n + bq.length], above = (n + 1) % bq.length ? rows[n + 1] : undefined;
      if (right && right.group !== row.group) between.push({ b0: row.b1, b1: row.b1, q0: row.q0, q1: row.q1 });
      if (above && above.group !== row.group) between.push({ b0: row.b0, b1: row.b1, q0: row.q1, q1: row.q1 });
    });
    view.data("cells", rows).data("boundary", between);
  }

  // Where one is on the map, which was made for the settings of the beginning.
  function here() {
    at("map-figure").hidden = Boolean(data.map.why);
    if (!data.map.why && !at("map-key").hasChildNodes()) {
      at("map-key").append(...study.columns.get(data.map.by).values.map((_, code) => {
        const one = element("span");
        one.append(swatch(code), said("span", called(code, data.map.by), "", 40));
        return one;
      }));
    }
    if (data.map.why) { at("verdict").textContent = `There is no map of b and bq: ${data.map.why}.`; return; }
    const { b, bq } = data.map, inside = (value, all) => Math.min(Math.max(value, all[0]), all[all.length - 1]);
    Charts.fitted("map", charts.map).data("here", [{ b: inside(set.b, b), bq: inside(set.bq, bq) }]);
    const changed = data.gains[0].weights.some((weight, code) => weight !== set.weights[code]) || set.x !== start.x || set.normalised !== start.normalised
      || HABITS.some((name) => set[name] !== start[name]) || Object.keys(set.where).length > 0 || set.least !== fewest || set.by !== data.map.by;
    at("verdict").textContent = (changed ? "You have changed other settings; this is of those the page began with. " : "") + short(data.map.sentence, 600);
    at("map-figure").classList.toggle("stale", changed);
    at("map-told").textContent = "Computed beforehand, for all sessions and the settings this page began with; the stronger the colour, the further ahead. These are means: whether they differ by more than chance, gainful compare --sessions tells. The ring is the b and bq of now; a click on the map moves it.";
  }

  // ── one session ──
  let listed = "";
  function pickable() {
    const chosen = JSON.stringify([set.where, set.least, set.by]);
    if (chosen === listed) return;
    listed = chosen;
    if (selected === null || !found.some.includes(selected)) selected = found.some[0];
    at("session").replaceChildren(...found.some.map((s) => {
      const queries = study.first[s + 1] - study.first[s];
      const option = element("option", `${short(data.sessions.names[s], 40)} · ${queries} ${queries === 1 ? "query" : "queries"}${set.by === null ? "" : ` · ${short(called(groupOf(s)), 30)}`}`);
      option.value = s;
      return option;
    }));
    at("session").value = selected;
  }

  function session() {
    const worked = found.worked(selected), total = worked.reduce((sum, query) => sum + query.added, 0);
    const told = data.columns.filter((one) => one.values[one.code[selected]] !== null).map((one) => `${one.name} ${one.values[one.code[selected]]}`);
    Session.shown(at("worked"), data, { name: data.sessions.names[selected], told }, worked, set.normalised ? found.values[selected] : null, total);
  }

  function select(s) {
    selected = s;
    at("session").value = s;
    later();
  }

  // ── controls ──
  function show() { // what is set, on the controls
    for (const name of ["b", "bq", "x"]) for (const id of [name, `${name}-number`]) { at(id).value = set[name]; at(id).removeAttribute("aria-invalid"); }
    for (const [id, name] of [["b", "discount"], ["bq", "query_discount"]]) for (const one of [id, `${id}-number`]) at(one).disabled = !discount(name).based;
    for (const one of document.getElementsByName("normalised")) one.checked = (one.value === "1") === set.normalised;
    for (const name of HABITS) at(name).value = set[name];
    for (const name of ["ideal", "hold"]) at(name).disabled = !set.normalised;
    at("by").value = set.by ?? "";
    at("least").value = set.least;
    for (const column of data.columns) if (at(`where-${data.columns.indexOf(column)}`)) at(`where-${data.columns.indexOf(column)}`).value = set.where[column.name] ?? "";
    const gain = data.gains.findIndex(weightsAre);
    at("gain").value = gain;
    const most = Math.max(10, ...set.weights);
    set.weights.forEach((weight, code) => {
      if (!at(`weight-${code}`)) return;
      at(`weight-${code}`).max = most;
      at(`weight-${code}`).value = weight;
      if (document.activeElement !== at(`weight-${code}-number`)) at(`weight-${code}-number`).value = weight;
    });
  }

  // A number from a control, if it is one that is allowed; else the control says so.
  function taken(control, low, high, whole) {
    const value = control.value.trim() === "" ? NaN : Number(control.value);
    const good = Number.isFinite(value) && value >= low && value <= high && (!whole || Number.isInteger(value));
    if (good) control.removeAttribute("aria-invalid"); else control.setAttribute("aria-invalid", "true");
    control.setCustomValidity?.(good ? "" : `From ${+low.toPrecision(3)} to ${+high.toPrecision(3)}${whole ? ", a whole number" : ""}; the page shows what was set before`);
    if (!good && control.value.trim() !== "") control.reportValidity?.();
    return good ? value : null;
  }

  function options(select, pairs) {
    select.replaceChildren(...pairs.map(([value, text]) => { const option = said("option", text, "", 70); option.value = value; return option; }));
  }

  function listen(control, change) {
    control.addEventListener("input", () => { if (change(control) !== false) later(); });
  }

  function controls() {
    const limits = { b: [1.000001, 999.999], bq: [1.000001, 999.999], x: [1, start.deepest] };
    for (const name of ["b", "bq", "x"]) {
      const [low, high] = name === "x" ? limits.x : data.bases[name].typical;
      Object.assign(at(name), { min: low, max: high });
      Object.assign(at(`${name}-number`), { min: limits[name][0], max: limits[name][1] });
      for (const [id, other] of [[name, `${name}-number`], [`${name}-number`, name]]) {
        listen(at(id), (control) => {
          const value = taken(control, ...limits[name], name === "x");
          if (value === null) return false;
          set[name] = value;
          at(other).value = value;
          at(other).removeAttribute("aria-invalid");
        });
      }
    }
    for (const one of document.getElementsByName("normalised")) listen(one, () => { set.normalised = one.value === "1"; show(); });
    options(at("gain"), [...data.gains.map((gain, n) => [n, `${gain.name}: ${gain.meaning}`]), [-1, "weights of your own"]]);
    listen(at("gain"), (control) => { if (control.value !== "-1") set.weights = [...data.gains[control.value].weights]; show(); });
    at("no-weights").hidden = data.grades.sliders;
    if (data.grades.sliders) weights();
    for (const name of ["discount", "query_discount"]) options(at(name), data.discounts.map((one) => [one.name, `${one.name}: ${one.meaning}`]));
    for (const name of ["duplicates", "ideal", "hold"]) options(at(name), Object.entries(data.answers[name]));
    for (const name of HABITS) listen(at(name), (control) => { set[name] = control.value; show(); });
    options(at("by"), [["", "all together"], ...data.columns.filter((one) => one.groups).map((one) => [one.name, one.name])]);
    listen(at("by"), (control) => { set.by = control.value === "" ? null : control.value; });
    filters();
    Object.assign(at("least"), { min: fewest, max: study.asked.reduce((most, asked) => Math.max(most, asked), 1) });
    listen(at("least"), (control) => { const value = taken(control, fewest, Infinity, true); if (value === null) return false; set.least = value; });
    listen(at("session"), (control) => { selected = Number(control.value); });
    at("reset").addEventListener("click", (event) => { event.preventDefault(); begin(); show(); later(); });
    at("controls").addEventListener("submit", (event) => event.preventDefault());
    at("copy").addEventListener("click", copy);
    if (window.matchMedia("(max-width: 900px)").matches) for (const part of document.querySelectorAll(".controls .more")) part.open = false;
  }

  function weights() {
    at("weights").replaceChildren(...data.grades.told.map((grade, code) => {
      const row = element("div", undefined, "weight"), slider = element("input"), exact = element("input"), label = element("label");
      Object.assign(slider, { type: "range", id: `weight-${code}`, min: 0, step: 0.5 });
      Object.assign(exact, { type: "number", id: `weight-${code}-number`, step: "any" });
      exact.setAttribute("aria-label", `weight of grade ${grade}, exactly`);
      label.htmlFor = slider.id;
      label.append(Session.chip(data, code), element("span", `weight of grade ${grade}`, "visually-hidden"));
      for (const one of [slider, exact]) {
        listen(one, (control) => {
          const value = taken(control, -1e6, 1e6);
          if (value === null) return false;
          set.weights[code] = value;
          show();
        });
      }
      row.append(label, slider, exact);
      return row;
    }));
  }

  function filters() {
    at("filters").replaceChildren(...data.columns.map((column, n) => {
      const row = element("div", undefined, "control"), label = said("label", column.name, "", 30), select = element("select");
      select.id = label.htmlFor = `where-${n}`;
      const values = column.values.map((value, code) => [code, value]).filter(([code]) => column.where[code]);
      options(select, [["", "all"], ...values]);
      listen(select, () => { if (select.value === "") delete set.where[column.name]; else set.where[column.name] = Number(select.value); });
      row.append(label, select);
      return row;
    }));
  }

  async function copy() {
    const text = at("command").textContent;
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch { // a page from disk may not be let: the selection can be copied all the same
      getSelection().selectAllChildren(at("command"));
      done = document.execCommand("copy");
    }
    at("copy").textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { at("copy").textContent = "Copy"; }, 1500);
  }

  begin();
  controls();
  show();
  settled = make().then(now);
  let width = window.innerWidth;
  // Paper has a width of its own.
  const paper = window.matchMedia("print");
  paper.addEventListener("change", () => { width = 0; later(); });
  window.addEventListener("beforeprint", () => { width = 0; later(); });
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    later();
  });
})();
