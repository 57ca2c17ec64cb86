"use strict";
// The controls, and what follows from them: settings → numbers → charts, tables and words.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { makeElement, userText, shorten, formatNumber } = Session;
  const byId = (id) => document.getElementById(id);
  const study = Curves.prepareStudy(data), start = data.start, MAX_LINES = 60;
  const SETTINGS = ["discount", "query_discount", "duplicates", "ideal", "hold"];
  const set = {}, words = Words(data, study, set), { discount, hasWeights, fewestQueries } = words;
  let selected = null, charts = {}, result = null, pending = null;

  // ── settings ──
  function resetSettings() {
    Object.assign(set, {
      normalised: start.normalised, b: start.b, bq: start.bq, x: start.x, gain: 0, weights: [...data.gains[0].weights],
      by: start.by, where: Object.create(null), minQueries: fewestQueries,
    });
    for (const name of SETTINGS) set[name] = start[name];
  }

  // ── what things are called ──
  function nameOf(code, by = set.by) {
    if (by === null) return "all sessions";
    const value = study.columns.get(by).values[code];
    return value === null ? `no ${by}` : /^\d+$|^.$/u.test(value) ? `${by} ${value}` : value;
  }
  const groupOf = (s) => (set.by === null ? 0 : study.columns.get(set.by).code[s]);

  // ── from settings to the page ──
  let waiting = false;
  function schedule() { // however many inputs come before the next picture, it is drawn once
    if (waiting) return;
    waiting = true;
    pending = new Promise((done) => { requestAnimationFrame(() => { waiting = false; done(update()); }); });
  }

  async function update() {
    result = Curves.computeCurves(study, set);
    const none = result.sessions.length === 0;
    byId("all").hidden = none;
    const trouble = none ? "No session is left: choose fewer conditions."
      : !result.hasGain ? "No result that counts is worth anything here, so there is nothing to compare: every value is zero."
      : result.groups.every((group) => Number.isNaN(group.mean)) ? "There is nothing to find in any of these sessions, and such sessions are left out: there is no mean." : "";
    byId("message").textContent = trouble;
    byId("message").hidden = !trouble;
    words.describe();
    if (none || !charts.curves) return;
    drawGroups();
    listSessions();
    drawSession();
    await Promise.all(draw().map((view) => view.runAsync()));
  }

  function drawGroups() {
    byId("group-column").textContent = set.by ?? "group";
    const rows = result.groups.map((group) => {
      const row = makeElement("tr"), name = makeElement("th");
      name.scope = "row";
      name.append(makeLineKey(group.code), userText("span", nameOf(group.code), "", 60));
      row.append(name, ...[group.sessions, group.queries, formatNumber(group.mean)].map((value) => makeElement("td", value, "number")));
      return row;
    });
    byId("groups").tBodies[0].replaceChildren(...rows);
  }

  // The colour and dash by which the charts draw a group.
  function makeLineKey(code) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), line = document.createElementNS(svg.namespaceURI, "line");
    for (const [name, value] of Object.entries({ width: 28, height: 10, class: "key", "aria-hidden": "true" })) svg.setAttribute(name, value);
    const dash = data.look.dashes[code % data.look.dashes.length].join(" ");
    for (const [name, value] of Object.entries({ x1: 0, x2: 28, y1: 5, y2: 5, "stroke-width": 3, stroke: `var(--series-${code % 7})`, "stroke-dasharray": dash })) line.setAttribute(name, value);
    svg.append(line);
    return svg;
  }

  function makeSwatch(code) {
    const node = makeElement("span", undefined, "swatch");
    node.style.background = `var(--series-${code % 7})`;
    return node;
  }

  // ── charts ──
  async function makeCharts() {
    const names = Charts.names.filter((name) => name !== "map" || !data.map.why);
    const views = await Promise.all(names.map((name) => Charts.drawChart(name, data.look)));
    charts = Object.fromEntries(names.map((name, n) => [name, views[n]]));
    charts.lines.addEventListener("click", (_, item) => { if (item?.datum && "session" in item.datum) select(item.datum.session); });
    charts.map?.addEventListener("click", (_, item) => {
      if (item?.datum && "b0" in item.datum) { Object.assign(set, { b: item.datum.b, bq: item.datum.bq }); show(); schedule(); }
    });
    if (charts.map) drawCells(charts.map);
    // What is drawn can be asked for, once it is: await explored.ready(); explored.charts.curves.data("rows")
    window.explored = { charts, ready: () => pending };
  }

  // Ends of an axis, and labels at the ends of lines moved apart.
  function fitAxis(view, values, ends, height, title) {
    let low = 0, high = 0;
    for (const value of values) { if (value < low) low = value; if (value > high) high = value; }
    if (high === low) high = low + 1;
    const step = (high - low) / 20;
    high += step;
    if (low < 0) low -= step;
    const gap = ((high - low) * 15) / (height - 50);
    ends.sort((a, b) => a.mean - b.mean);
    ends.forEach((end, n) => { end.label = n ? Math.max(end.mean, ends[n - 1].label + gap) : end.mean; });
    let most = high;
    for (let n = ends.length - 1; n >= 0; n--) { ends[n].label = Math.min(ends[n].label, most); most = ends[n].label - gap; }
    const wide = high - low, format = wide < 0.1 ? ".3f" : wide < 5 ? ".2f" : wide < 1e4 ? "~f" : "~s";
    view.signal("low", low).signal("high", high).signal("format_", format).signal("title_", title);
  }

  function draw() {
    const x = set.x, title = set.normalised ? "share of the ideal" : "gain";
    const longest = result.groups.reduce((most, group) => Math.max(most, group.longest), 1);
    const rows = [], ends = [];
    for (const group of result.groups) {
      const fullName = nameOf(group.code), name = shorten(fullName, 24);
      group.curve.forEach((mean, p) => rows.push({ group: group.code, name, position: p + 1, mean: Number.isNaN(mean) ? null : mean }));
      const end = longest * x; // held to the end of the longest session of all
      if (set.hold !== "growing" && group.curve.length < end && !Number.isNaN(group.mean)) rows.push({ group: group.code, name, position: end, mean: group.mean, afterStop: true });
      if (!Number.isNaN(group.mean)) ends.push({ group: group.code, name, fullName: shorten(fullName, 400), mean: group.mean });
    }
    fitAxis(charts.curves, rows.map((row) => row.mean), ends, 320, title);
    Charts.fitWidth("curves", charts.curves, ends).signal("lot", x).signal("most", longest).data("rows", rows).data("ends", ends);

    const drawn = sample(result.sessions), single = [], stops = [];
    for (const s of drawn) {
      const name = shorten(data.sessions.names[s], 60), line = result.line(s);
      line.forEach((mean, p) => single.push({ session: s, group: groupOf(s), name, position: p + 1, mean: Number.isNaN(mean) ? null : mean }));
      stops.push(single[single.length - 1]);
    }
    const line = selected === null || !result.sessions.includes(selected) ? [] : Array.from(result.line(selected), (mean, p) => ({ position: p + 1, mean }));
    fitAxis(charts.lines, [...single, ...line].map((row) => row.mean), [], 300, title);
    Charts.fitWidth("lines", charts.lines).signal("lot", x).signal("most", longest).data("rows", single).data("stops", stops).data("selected", line);
    byId("line-count").textContent = drawn.length < result.sessions.length ? `${drawn.length} of ${result.sessions.length} sessions are drawn, evenly chosen.` : drawn.length === 1 ? "There is one session." : `All ${drawn.length} sessions are drawn.`;

    const last = [], tips = [];
    for (const group of result.groups) {
      for (const [which, mean] of [["last", group.last], ["others", group.others]]) {
        if (mean === null) continue;
        const name = `${shorten(set.by === null ? "" : nameOf(group.code), 14)} ${which === "last" ? "last" : "before"}`.trim();
        mean.forEach((value, i) => last.push({ group: group.code, which, name, position: i + 1, mean: value }));
        tips.push({ group: group.code, name, fullName: name, mean: mean[x - 1] });
      }
    }
    fitAxis(charts.last, last.map((row) => row.mean), tips, 300, "gain of a query");
    Charts.fitWidth("last", charts.last, tips).signal("lot", x).data("rows", last).data("ends", tips);
    drawPosition();
    return Object.values(charts);
  }

  // At most so many sessions, evenly spread, the selected one among them.
  function sample(sessions) {
    if (sessions.length <= MAX_LINES) return sessions;
    const few = Array.from({ length: MAX_LINES }, (_, n) => sessions[Math.floor((n * sessions.length) / MAX_LINES)]);
    if (selected !== null && sessions.includes(selected) && !few.includes(selected)) few[MAX_LINES - 1] = selected;
    return few;
  }

  function drawCells(view) {
    const { b, bq, won, ahead, by } = data.map, most = Math.max(...ahead) || 1;
    const edges = (bases) => [...bases, NaN].map((base, n) => (n === 0 ? base : n === bases.length ? bases[n - 1] : Math.sqrt(base * bases[n - 1])));
    const bs = edges(b), qs = edges(bq);
    const rows = won.map((group, n) => {
      const i = Math.floor(n / bq.length), j = n % bq.length;
      const lead = group < 0 ? "nobody wins" : `${shorten(nameOf(group, by), 40)} by ${formatNumber(ahead[n])}`;
      return { group, b: +b[i].toPrecision(3), bq: +bq[j].toPrecision(3), b0: bs[i], b1: bs[i + 1], q0: qs[j], q1: qs[j + 1], strength: 0.3 + (0.6 * ahead[n]) / most, text: `b = ${b[i].toPrecision(3)}, bq = ${bq[j].toPrecision(3)}: ${lead}` };
    });
    const TICKS = [1.1, 1.2, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50], within = (bases) => TICKS.filter((tick) => tick >= bases[0] && tick <= bases[bases.length - 1]);
    view.signal("bRange", [b[0], b[b.length - 1]]).signal("bqRange", [bq[0], bq[bq.length - 1]]).signal("bTicks", within(b)).signal("bqTicks", within(bq));
    if (data.measured) drawMeasured(view, b, bq);
    const between = []; // the edges of cells where the winner changes
    rows.forEach((row, n) => {
      const right = rows[n + bq.length], above = (n + 1) % bq.length ? rows[n + 1] : undefined;
      if (right && right.group !== row.group) between.push({ b0: row.b1, b1: row.b1, q0: row.q0, q1: row.q1 });
      if (above && above.group !== row.group) between.push({ b0: row.b0, b1: row.b1, q0: row.q1, q1: row.q1 });
    });
    view.data("cells", rows).data("boundary", between);
  }

  // What was measured in a log: where the searchers are, and how sure that is.
  function drawMeasured(view, b, bq) {
    const all = (bases) => ({ low: bases[0], high: bases[bases.length - 1], value: Math.sqrt(bases[0] * bases[bases.length - 1]) });
    const inside = (value, bases) => Math.min(Math.max(value, bases[0]), bases[bases.length - 1]);
    const x = data.measured.b ?? all(b), y = data.measured.bq ?? all(bq);
    view.data("measured", [{ b: inside(x.value, b), bq: inside(y.value, bq), b0: inside(x.low, b), b1: inside(x.high, b), q0: inside(y.low, bq), q1: inside(y.high, bq) }]);
  }

  // Where one is on the map, which was made for the settings of the beginning.
  function drawPosition() {
    byId("map-figure").hidden = Boolean(data.map.why);
    if (!data.map.why && !byId("map-key").hasChildNodes()) {
      byId("map-key").append(...study.columns.get(data.map.by).values.map((_, code) => {
        const entry = makeElement("span");
        entry.append(makeSwatch(code), userText("span", nameOf(code, data.map.by), "", 40));
        return entry;
      }));
    }
    if (data.map.why) { byId("verdict").textContent = `There is no map of b and bq: ${data.map.why}.`; return; }
    const { b, bq } = data.map, inside = (value, all) => Math.min(Math.max(value, all[0]), all[all.length - 1]);
    Charts.fitWidth("map", charts.map).data("here", [{ b: inside(set.b, b), bq: inside(set.bq, bq) }]);
    const changed = data.gains[0].weights.some((weight, code) => weight !== set.weights[code]) || set.x !== start.x || set.normalised !== start.normalised
      || SETTINGS.some((name) => set[name] !== start[name]) || Object.keys(set.where).length > 0 || set.minQueries !== fewestQueries || set.by !== data.map.by;
    byId("verdict").textContent = (changed ? "You have changed other settings; this is of those the page began with. " : "") + shorten(data.map.sentence, 600);
    byId("map-figure").classList.toggle("stale", changed);
    byId("map-note").textContent = "Computed beforehand, for all sessions and the settings this page began with; the stronger the colour, the further ahead. These are means: whether they differ by more than chance, gainful compare --sessions tells. The ring is the b and bq of now; a click on the map moves it." + (data.measured ? " The dashed box is where the searchers were measured to be, the cross the likeliest of them." : "");
  }

  // ── one session ──
  let listedChoice = "";
  function listSessions() {
    const choice = JSON.stringify([set.where, set.minQueries, set.by]);
    if (choice === listedChoice) return;
    listedChoice = choice;
    if (selected === null || !result.sessions.includes(selected)) selected = result.sessions[0];
    byId("session").replaceChildren(...result.sessions.map((s) => {
      const queries = study.first[s + 1] - study.first[s];
      const option = makeElement("option", `${shorten(data.sessions.names[s], 40)} · ${queries} ${queries === 1 ? "query" : "queries"}${set.by === null ? "" : ` · ${shorten(nameOf(groupOf(s)), 30)}`}`);
      option.value = s;
      return option;
    }));
    byId("session").value = selected;
  }

  function drawSession() {
    const steps = result.explain(selected), total = steps.reduce((sum, query) => sum + query.added, 0);
    const columns = data.columns.filter((column) => column.values[column.code[selected]] !== null).map((column) => `${column.name} ${column.values[column.code[selected]]}`);
    Session.showSession(byId("session-detail"), data, { name: data.sessions.names[selected], columns }, steps, set.normalised ? result.values[selected] : null, total);
  }

  function select(s) {
    selected = s;
    byId("session").value = s;
    schedule();
  }

  // ── controls ──
  function show() { // what is set, on the controls
    for (const name of ["b", "bq", "x"]) for (const id of [name, `${name}-number`]) { byId(id).value = set[name]; byId(id).removeAttribute("aria-invalid"); }
    for (const [id, name] of [["b", "discount"], ["bq", "query_discount"]]) for (const control of [id, `${id}-number`]) byId(control).disabled = !discount(name).based;
    for (const radio of document.getElementsByName("normalised")) radio.checked = (radio.value === "1") === set.normalised;
    for (const name of SETTINGS) byId(name).value = set[name];
    for (const name of ["ideal", "hold"]) byId(name).disabled = !set.normalised;
    byId("by").value = set.by ?? "";
    byId("min-queries").value = set.minQueries;
    for (const column of data.columns) if (byId(`where-${data.columns.indexOf(column)}`)) byId(`where-${data.columns.indexOf(column)}`).value = set.where[column.name] ?? "";
    const gain = data.gains.findIndex(hasWeights);
    byId("gain").value = gain;
    const most = Math.max(10, ...set.weights);
    set.weights.forEach((weight, code) => {
      if (!byId(`weight-${code}`)) return;
      byId(`weight-${code}`).max = most;
      byId(`weight-${code}`).value = weight;
      if (document.activeElement !== byId(`weight-${code}-number`)) byId(`weight-${code}-number`).value = weight;
    });
  }

  // A number from a control, if it is one that is allowed; else the control says so.
  function readNumber(control, low, high, whole) {
    const value = control.value.trim() === "" ? NaN : Number(control.value);
    const good = Number.isFinite(value) && value >= low && value <= high && (!whole || Number.isInteger(value));
    if (good) control.removeAttribute("aria-invalid"); else control.setAttribute("aria-invalid", "true");
    control.setCustomValidity?.(good ? "" : `From ${+low.toPrecision(3)} to ${+high.toPrecision(3)}${whole ? ", a whole number" : ""}; the page shows what was set before`);
    if (!good && control.value.trim() !== "") control.reportValidity?.();
    return good ? value : null;
  }

  function fillOptions(select, pairs) {
    select.replaceChildren(...pairs.map(([value, text]) => { const option = userText("option", text, "", 70); option.value = value; return option; }));
  }

  function listen(control, change) {
    control.addEventListener("input", () => { if (change(control) !== false) schedule(); });
  }

  function buildControls() {
    const limits = { b: [1.000001, 999.999], bq: [1.000001, 999.999], x: [1, start.deepest] };
    for (const name of ["b", "bq", "x"]) {
      const [low, high] = name === "x" ? limits.x : data.bases[name].typical;
      Object.assign(byId(name), { min: low, max: high });
      Object.assign(byId(`${name}-number`), { min: limits[name][0], max: limits[name][1] });
      for (const [id, other] of [[name, `${name}-number`], [`${name}-number`, name]]) {
        listen(byId(id), (control) => {
          const value = readNumber(control, ...limits[name], name === "x");
          if (value === null) return false;
          set[name] = value;
          byId(other).value = value;
          byId(other).removeAttribute("aria-invalid");
        });
      }
    }
    for (const name of ["b", "bq"]) {
      const measured = data.measured?.[name];
      byId(`${name}-measured`).hidden = !measured;
      if (measured) byId(`${name}-measured`).textContent = `measured: ${measured.text}`;
    }
    for (const radio of document.getElementsByName("normalised")) listen(radio, () => { set.normalised = radio.value === "1"; show(); });
    fillOptions(byId("gain"), [...data.gains.map((gain, n) => [n, `${gain.name}: ${gain.meaning}`]), [-1, "weights of your own"]]);
    listen(byId("gain"), (control) => { if (control.value !== "-1") set.weights = [...data.gains[control.value].weights]; show(); });
    byId("no-weights").hidden = data.grades.sliders;
    if (data.grades.sliders) buildWeights();
    for (const name of ["discount", "query_discount"]) fillOptions(byId(name), data.discounts.map((formula) => [formula.name, `${formula.name}: ${formula.meaning}`]));
    for (const name of ["duplicates", "ideal", "hold"]) fillOptions(byId(name), Object.entries(data.answers[name]));
    for (const name of SETTINGS) listen(byId(name), (control) => { set[name] = control.value; show(); });
    fillOptions(byId("by"), [["", "all together"], ...data.columns.filter((column) => column.groups).map(({ name }) => [name, name])]);
    listen(byId("by"), (control) => { set.by = control.value === "" ? null : control.value; });
    buildFilters();
    Object.assign(byId("min-queries"), { min: fewestQueries, max: study.allQueries.reduce((most, count) => Math.max(most, count), 1) });
    listen(byId("min-queries"), (control) => { const value = readNumber(control, fewestQueries, Infinity, true); if (value === null) return false; set.minQueries = value; });
    listen(byId("session"), (control) => { selected = Number(control.value); });
    byId("reset").addEventListener("click", (event) => { event.preventDefault(); resetSettings(); show(); schedule(); });
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    byId("copy").addEventListener("click", copy);
    if (window.matchMedia("(max-width: 900px)").matches) for (const part of document.querySelectorAll(".controls .more")) part.open = false;
  }

  function buildWeights() {
    byId("weights").replaceChildren(...data.grades.labels.map((grade, code) => {
      const row = makeElement("div", undefined, "weight"), slider = makeElement("input"), exact = makeElement("input"), label = makeElement("label");
      Object.assign(slider, { type: "range", id: `weight-${code}`, min: 0, step: 0.5 });
      Object.assign(exact, { type: "number", id: `weight-${code}-number`, step: "any" });
      exact.setAttribute("aria-label", `weight of grade ${grade}, exactly`);
      label.htmlFor = slider.id;
      label.append(Session.makeChip(data, code), makeElement("span", `weight of grade ${grade}`, "visually-hidden"));
      for (const input of [slider, exact]) {
        listen(input, (control) => {
          const value = readNumber(control, -1e6, 1e6);
          if (value === null) return false;
          set.weights[code] = value;
          show();
        });
      }
      row.append(label, slider, exact);
      return row;
    }));
  }

  function buildFilters() {
    byId("filters").replaceChildren(...data.columns.map((column, n) => {
      const row = makeElement("div", undefined, "control"), label = userText("label", column.name, "", 30), select = makeElement("select");
      select.id = label.htmlFor = `where-${n}`;
      const values = column.values.map((value, code) => [code, value]).filter(([code]) => column.where[code]);
      fillOptions(select, [["", "all"], ...values]);
      listen(select, () => { if (select.value === "") delete set.where[column.name]; else set.where[column.name] = Number(select.value); });
      row.append(label, select);
      return row;
    }));
  }

  async function copy() {
    const text = byId("command").textContent;
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch { // a page from disk may not be let: the selection can be copied all the same
      getSelection().selectAllChildren(byId("command"));
      done = document.execCommand("copy");
    }
    byId("copy").textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { byId("copy").textContent = "Copy"; }, 1500);
  }

  resetSettings();
  buildControls();
  show();
  pending = makeCharts().then(update);
  let width = window.innerWidth;
  // Paper has a width of its own.
  const paper = window.matchMedia("print");
  paper.addEventListener("change", () => { width = 0; schedule(); });
  window.addEventListener("beforeprint", () => { width = 0; schedule(); });
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    schedule();
  });
})();
