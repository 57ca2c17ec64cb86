"use strict";
// The settings as the end of an address, so that a view can be sent; only what differs from the start is in it.
const Link = (data, study, limits, choices) => {
  const allowed = { discount: study.discounts, query_discount: study.discounts, duplicates: new Map(Object.entries(data.answers.duplicates)), ideal: new Map(Object.entries(data.answers.ideal)), hold: new Map(Object.entries(data.answers.hold)) };
  const grouping = (by) => (by === null || study.columns.get(by)?.groups ? by : undefined);
  const codeOf = (column, text) => column.values.findIndex((value) => value === text);

  function write(set, start, pair, session) {
    const parts = new URLSearchParams();
    for (const name of ["b", "bq", "x"]) if (set[name] !== start[name]) parts.set(name, set[name]);
    if (set.normalised !== start.normalised) parts.set("value", set.normalised ? "share" : "gain");
    if (set.weights.some((weight, code) => weight !== start.weights[code])) parts.set("weights", set.weights.join(","));
    for (const name of choices) if (set[name] !== start[name]) parts.set(name, set[name]);
    if (set.by !== start.by) parts.set("by", set.by ?? "");
    if (set.minQueries !== start.minQueries) parts.set("min_queries", set.minQueries);
    for (const [name, code] of Object.entries(set.where)) parts.append("where", `${name}=${study.columns.get(name).values[code]}`);
    if (set.by !== null) pair.forEach((code, n) => { if (code !== null) parts.set(n ? "other" : "compare", study.columns.get(set.by).values[code] ?? ""); });
    if (session !== null) parts.set("session", data.sessions.names[session]);
    return parts.toString();
  }

  // What an address asks for, the nearest that can be shown, and what of it cannot be.
  function read(text, start) {
    const set = structuredClone(start), pair = [null, null], problems = [];
    set.where = Object.assign(Object.create(null), start.where);
    const parts = new URLSearchParams(text);
    const complain = (asked, instead) => problems.push(`${asked.slice(0, 60)} is not valid here; the page uses ${instead}`);
    const readNumber = (name, key, [low, high], whole) => {
      if (!parts.has(name)) return;
      const asked = parts.get(name), value = asked.trim() === "" ? NaN : Number(asked), nearest = Math.min(Math.max(whole ? Math.round(value) : value, low), high);
      set[key] = Number.isNaN(nearest) ? start[key] : nearest;
      if (set[key] !== value) complain(`${name} = ${asked}`, `${name} = ${set[key]}`);
    };
    for (const name of ["b", "bq", "x"]) readNumber(name, name, limits[name], name === "x");
    readNumber("min_queries", "minQueries", limits.minQueries, true);
    if (["share", "gain"].includes(parts.get("value"))) set.normalised = parts.get("value") === "share";
    else if (parts.has("value")) complain(`value = ${parts.get("value")}`, `value = ${set.normalised ? "share" : "gain"}`);
    if (parts.has("weights")) {
      const asked = parts.get("weights").split(",").map((weight) => (weight.trim() === "" ? NaN : Number(weight))), good = asked.length === start.weights.length && asked.every(Number.isFinite);
      if (good) set.weights = asked.map((weight) => Math.min(Math.max(weight, limits.weight[0]), limits.weight[1]));
      if (!good || set.weights.some((weight, code) => weight !== asked[code])) complain(`weights = ${parts.get("weights")}`, `weights = ${set.weights.join(",").slice(0, 60)}`);
    }
    for (const name of choices) if (parts.has(name)) {
      if (allowed[name].has(parts.get(name))) set[name] = parts.get(name);
      else complain(`${name} = ${parts.get(name)}`, `${name} = ${set[name]}`);
    }
    if (parts.has("by")) {
      const by = grouping(parts.get("by") === "" ? null : parts.get("by"));
      if (by === undefined) complain(`by = ${parts.get("by")}`, `by = ${set.by ?? "nothing"}`); else set.by = by;
    }
    for (const condition of parts.getAll("where")) {
      const at = condition.indexOf("="), column = study.columns.get(condition.slice(0, at)), code = column ? codeOf(column, condition.slice(at + 1)) : -1;
      if (code >= 0 && column.where[code]) set.where[column.name] = code; else complain(`where ${condition}`, "all sessions");
    }
    ["compare", "other"].forEach((name, n) => {
      if (!parts.has(name) || set.by === null) return;
      const code = codeOf(study.columns.get(set.by), parts.get(name));
      if (code < 0) complain(`${name} = ${parts.get(name)}`, n ? "the runner-up" : "the leader"); else pair[n] = code;
    });
    const session = parts.has("session") ? data.sessions.names.indexOf(parts.get("session")) : -1;
    if (parts.has("session") && session < 0) complain(`session = ${parts.get("session")}`, "the first session");
    return { set, pair, session: session < 0 ? null : session, problems };
  }

  return { read, write };
};
