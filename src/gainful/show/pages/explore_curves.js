"use strict";
// What sessions are worth to one searcher: the same numbers as gainful.sessions.evaluate.
// Everything that no control changes is laid out once, in typed arrays.
const Curves = (() => {
  // Each result once: its query, rank, grade, and the best rank at which an earlier query of the
  // session showed the same document (none: Infinity).
  function prepareStudy(data) {
    const { queries: perSession } = data.sessions, { shown } = data.queries;
    const sessions = perSession.length, queries = shown.length, results = data.results.doc.length;
    const first = new Int32Array(sessions + 1), begin = new Int32Array(queries + 1);
    for (let s = 0; s < sessions; s++) first[s + 1] = first[s] + perSession[s];
    for (let q = 0; q < queries; q++) begin[q + 1] = begin[q] + shown[q];
    const before = new Float64Array(results).fill(Infinity);
    for (let s = 0; s < sessions; s++) {
      const best = new Map();
      for (let q = first[s]; q < first[s + 1]; q++) {
        for (let r = begin[q]; r < begin[q + 1]; r++) before[r] = best.get(data.results.doc[r]) ?? Infinity;
        for (let r = begin[q]; r < begin[q + 1]; r++) {
          const doc = data.results.doc[r], rank = r - begin[q] + 1;
          if (rank < (best.get(doc) ?? Infinity)) best.set(doc, rank);
        }
      }
    }
    return {
      sessions, first, begin, before,
      longest: perSession.reduce((most, count) => Math.max(most, count), 0),
      grade: Int32Array.from(data.results.grade),
      own: Int32Array.from(data.results.own ?? []),
      clickedBefore: Uint8Array.from(data.results.clickedBefore ?? []),
      clicked: Uint8Array.from(data.results.clicked ?? []),
      pools: buildPools(data.pool), ownPools: data.ownPool && buildPools(data.ownPool),
      discounts: new Map(data.discounts.map((discount) => [discount.name, {
        ...discount, // the code is rendered from the one formula there is
        atRank: new Function("i", "b", `return ${discount.rank};`),
        atQuery: new Function("q", "bq", `return ${discount.query};`),
      }])),
      columns: new Map(data.columns.map((column) => [column.name, column])),
      allQueries: data.sessions.allQueries,
      units: { ...data.units, of: Int32Array.from(data.units.of ?? perSession.keys()), weights: Uint8Array.from(data.units.weights, (digit) => parseInt(digit, 36)) },
      empty: data.start.empty,
    };
  }

  function buildPools(pool) {
    const kinds = Array.from({ length: pool.bases }, () => []);
    pool.base.forEach((base, at) => kinds[base].push([pool.grade[at], pool.count[at]]));
    return { of: Int32Array.from(pool.of), kinds };
  }

  // What is left of a gain at each rank and at each query, from 1.
  const discountFactors = (study, set) => ({
    rank: Float64Array.from({ length: set.x }, (_, at) => study.discounts.get(set.discount).atRank(at + 1, set.b)),
    query: Float64Array.from({ length: study.longest }, (_, at) => study.discounts.get(set.query_discount).atQuery(at + 1, set.bq)),
  });

  // The gain of a result of this rank, if it counts at all.
  function resultGain(study, set, result, rank) {
    if (rank > set.x) return 0;
    const code = (set.duplicates === "judged" ? study.own : study.grade)[result];
    if (code < 0) return 0;
    if (set.duplicates === "first" && study.before[result] <= set.x) return 0;
    if (set.duplicates === "clicked" && study.clickedBefore[result]) return 0;
    return set.weights[code];
  }

  const idealKind = (set) =>
    set.ideal !== "paired" ? set.ideal : set.duplicates === "first" ? "best_slots" : "repeated";

  // The best gains of a recall base, in descending order, at most so many.
  function bestGains(kinds, weights, most) {
    const sorted = kinds.filter(([code]) => weights[code] > 0).sort((a, b) => weights[b[0]] - weights[a[0]]);
    const gains = [];
    for (const [code, count] of sorted) {
      for (let n = 0; n < count && gains.length < most; n++) gains.push(weights[code]);
    }
    return gains;
  }

  // How much an ideal session has gained down to each place, for a session of any length.
  function prepareIdeals(study, set, factors) {
    const { of, kinds } = set.duplicates === "judged" ? study.ownPools : study.pools;
    const kind = idealKind(set), x = set.x, places = study.longest * x;
    const slots = Float64Array.from({ length: places }, (_, at) => factors.rank[at % x] * factors.query[Math.floor(at / x)]);
    const bestFactors = kind === "best_slots" ? sortSlots(slots, largestPool(kinds)) : null;
    const idealsByBase = new Map();
    const baseIdeal = (base) => {
      if (!idealsByBase.has(base)) {
        const gains = base < 0 ? [] : bestGains(kinds[base], set.weights, kind === "repeated" ? x : places);
        idealsByBase.set(base, kind === "repeated" ? repeatIdeal(gains) : kind === "once" ? spreadOnce(gains) : fillBestSlots(gains));
      }
      return idealsByBase.get(base);
    };
    const repeatIdeal = (gains) => {
      const dcg = new Float64Array(x);
      let sum = 0;
      for (let i = 0; i < x; i++) dcg[i] = sum += (gains[i] ?? 0) * factors.rank[i];
      return dcg;
    };
    const spreadOnce = (gains) => {
      const gained = new Float64Array(places);
      let sum = 0;
      for (let p = 0; p < places; p++) gained[p] = sum += (gains[p] ?? 0) * slots[p];
      return gained;
    };
    const fillBestSlots = (gains) => {
      const gained = new Float64Array(places);
      for (let p = 0; p < places; p++) {
        const best = bestFactors[p];
        let sum = 0;
        for (let n = Math.min(gains.length, p + 1) - 1; n >= 0; n--) sum += gains[n] * best[n];
        gained[p] = sum;
      }
      return gained;
    };
    if (kind !== "repeated") return (session) => baseIdeal(of[study.first[session]]);
    const idealsOfOneBase = new Map(), own = new Float64Array(places);
    return (session) => {
      const begin = study.first[session], end = study.first[session + 1];
      const hasOneBase = of.subarray(begin, end).every((base) => base === of[begin]);
      if (hasOneBase && idealsOfOneBase.has(of[begin])) return idealsOfOneBase.get(of[begin]);
      const gained = hasOneBase ? new Float64Array(places) : own;
      let before = 0;
      for (let q = 0; q < study.longest; q++) {
        const dcg = baseIdeal(of[Math.min(begin + q, end - 1)]);
        for (let i = 0; i < x; i++) gained[q * x + i] = before + factors.query[q] * dcg[i];
        before = gained[q * x + x - 1];
      }
      if (hasOneBase) idealsOfOneBase.set(of[begin], gained);
      return gained;
    };
  }

  const largestPool = (kinds) =>
    kinds.reduce((most, pool) => Math.max(most, pool.reduce((sum, [, count]) => sum + count, 0)), 0);

  // The weights of the first 1, 2, 3 … places, each time in descending order; the best so many.
  function sortSlots(slots, most) {
    let sorted = [];
    return Array.from(slots, (weight) => {
      let at = sorted.length;
      while (at > 0 && sorted[at - 1] < weight) at--;
      if (at >= most) return sorted;
      sorted = sorted.slice(0, most - 1);
      sorted.splice(at, 0, weight);
      return sorted;
    });
  }

  function selectSessions(study, set) {
    const selected = [];
    const conditions = Object.entries(set.where).map(([name, code]) => [study.columns.get(name).code, code]);
    for (let s = 0; s < study.sessions; s++) {
      if (study.allQueries[s] >= set.minQueries && conditions.every(([codes, code]) => codes[s] === code)) selected.push(s);
    }
    return selected;
  }

  // Mean vectors of groups, the value of each session, last queries against the others.
  function computeCurves(study, set) {
    const factors = discountFactors(study, set), ideal = prepareIdeals(study, set, factors), x = set.x;
    const sessions = selectSessions(study, set), codes = set.by === null ? null : study.columns.get(set.by).code;
    const length = (s) => study.first[s + 1] - study.first[s];
    const groups = new Map();
    for (const s of sessions) {
      const code = codes ? codes[s] : 0;
      if (!groups.has(code)) groups.set(code, { code, sessions: 0, queries: 0, longest: 0 });
      const group = groups.get(code);
      group.sessions++;
      group.queries += length(s);
      group.longest = Math.max(group.longest, length(s));
    }
    for (const group of groups.values()) {
      group.sum = new Float64Array(group.longest * x);
      group.n = new Int32Array(group.longest * x);
      group.last = new Float64Array(x);
      group.others = new Float64Array(x);
    }
    const values = new Float64Array(study.sessions).fill(NaN);
    const gained = new Float64Array(study.longest * x), share = new Float64Array(study.longest * x);
    const vector = (s) => { // of one session, down to its end: into `share`
      const own = length(s) * x, best = set.normalised ? ideal(s) : null;
      let sum = 0;
      for (let n = 0; n < length(s); n++) {
        const q = study.first[s] + n, begin = study.begin[q], shown = study.begin[q + 1] - begin;
        for (let i = 0; i < x; i++) {
          if (i < shown) {
            const gain = resultGain(study, set, begin + i, i + 1);
            if (gain !== 0) sum += gain * factors.rank[i] * factors.query[n];
          }
          gained[n * x + i] = sum;
        }
      }
      for (let p = 0; p < own; p++) share[p] = best ? ratio(gained[p], best[p], study.empty) : gained[p];
      return own;
    };
    const extend = (s, wide) => { // the same, and on to where its group ends
      const own = vector(s), best = set.normalised && set.hold === "growing" ? ideal(s) : null;
      for (let p = own; p < wide; p++) share[p] = best ? ratio(gained[own - 1], best[p], study.empty) : share[own - 1];
      return own;
    };
    for (const s of sessions) {
      const group = groups.get(codes ? codes[s] : 0), wide = group.longest * x;
      values[s] = share[extend(s, wide) - 1];
      for (let p = 0; p < wide; p++) if (!Number.isNaN(share[p])) { group.sum[p] += share[p]; group.n[p]++; }
      for (let n = 0, before = 0; n < length(s); n++) { // what each query gained, down to each rank
        const sums = n === length(s) - 1 ? group.last : group.others;
        for (let i = 0; i < x; i++) sums[i] += gained[n * x + i] - before;
        before = gained[n * x + x - 1];
      }
    }
    const sortedGroups = [...groups.values()].sort((a, b) => a.code - b.code);
    for (const group of sortedGroups) {
      group.curve = Float64Array.from(group.sum, (sum, p) => (group.n[p] ? sum / group.n[p] : NaN));
      group.mean = group.curve[group.curve.length - 1];
      group.last = group.last.map((sum) => sum / group.sessions);
      const others = group.queries - group.sessions;
      group.others = others ? group.others.map((sum) => sum / others) : null;
    }
    const byUnit = Int32Array.from(sessions).sort((a, b) => study.units.of[a] - study.units.of[b]);
    // By position, how far the mean of a group, or the difference of two, would vary with other units of the same kind.
    function standardErrors(one, other) {
      const wide = Math.max(one.longest, other?.longest ?? 0) * x, squares = new Float64Array(wide), number = new Int32Array(wide);
      const part = new Float64Array(wide).fill(NaN); // of a unit
      const add = () => { for (let p = 0; p < wide; p++) if (!Number.isNaN(part[p])) { squares[p] += part[p] * part[p]; number[p]++; part[p] = NaN; } };
      let unit = null;
      for (const s of byUnit) {
        const group = groups.get(codes ? codes[s] : 0), sign = group === one ? 1 : -1, last = group.longest * x - 1;
        if (group !== one && group !== other) continue;
        if (unit !== study.units.of[s]) add();
        unit = study.units.of[s];
        extend(s, last + 1);
        for (let p = 0; p < wide; p++) {
          const at = Math.min(p, last), value = sign * (share[at] - group.curve[at]) / group.n[at];
          if (!Number.isNaN(value)) part[p] = Number.isNaN(part[p]) ? value : part[p] + value;
        }
      }
      add();
      return squares.map((sum, p) => (number[p] > 1 ? Math.sqrt((sum * number[p]) / (number[p] - 1)) : NaN));
    }
    return { sessions, groups: sortedGroups, values, standardErrors, line: (s) => share.slice(0, vector(s)), explain: (s) => explainSession(study, set, factors, s) };
  }

  function ratio(gained, ideal, empty) {
    if (ideal > 0) return gained / ideal;
    return empty === "skip" ? NaN : empty;
  }

  // One session in full: what each result was worth, and what became of that.
  function explainSession(study, set, factors, s) {
    const queries = [];
    for (let q = study.first[s], n = 0; q < study.first[s + 1]; q++, n++) {
      const rows = [];
      for (let r = study.begin[q], i = 0; r < study.begin[q + 1] && i < set.x; r++, i++) {
        const code = (set.duplicates === "judged" ? study.own : study.grade)[r];
        const gain = resultGain(study, set, r, i + 1);
        const isRepeat = code >= 0 && gain === 0 && set.weights[code] !== 0;
        rows.push({ result: r, rank: i + 1, code, isRepeat, gain, factor: factors.rank[i], added: gain * factors.rank[i] * factors.query[n] });
      }
      queries.push({ query: q, number: n + 1, factor: factors.query[n], rows, added: rows.reduce((sum, row) => sum + row.added, 0) });
    }
    return queries;
  }

  return { prepareStudy, computeCurves, idealKind, selectSessions, discountFactors, resultGain, bestGains, ratio };
})();
