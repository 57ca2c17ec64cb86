"use strict";
// Who leads for which searcher: means at any b and bq, the interval of a difference, the map of leaders.
// The page and its worker run the same code.
const Searchers = (() => {
  const LEVELS = [0.025, 0.975], POINTS = 20, STEPS = 8, FEW = 10; // units, of fewer of which nothing is sure

  // The gains of the chosen sessions, laid out so that another b or bq costs little: the last layout is kept for these.
  let kept = {};
  function layOut(study, set) {
    const key = JSON.stringify({ ...set, b: null, bq: null });
    if (kept.study !== study || kept.key !== key) kept = { study, key, layout: prepareLayout(study, set) };
    return kept.layout;
  }

  function prepareLayout(study, set) {
    const sessions = Curves.selectSessions(study, set), codes = set.by === null ? null : study.columns.get(set.by).code;
    const codesThere = codes ? [...new Set(sessions.map((s) => codes[s]))].sort((a, b) => a - b) : [0];
    const group = Int32Array.from(sessions, (s) => (codes ? codesThere.indexOf(codes[s]) : 0));
    const own = Int32Array.from(sessions, (s) => study.first[s + 1] - study.first[s]);
    const longest = codesThere.map((_, g) => own.reduce((most, length, at) => (group[at] === g ? Math.max(most, length) : most), 0));
    const lengths = set.hold === "growing" ? own.map((_, at) => longest[group[at]]) : own;
    const gains = { gain: [], rank: [], query: [] }, queries = { session: [], position: [] };
    for (let n = 0; n < study.longest; n++) sessions.forEach((s, at) => { // query by query: quicker to add up than session by session
      const q = study.first[s] + n, many = gains.gain.length;
      if (n >= own[at]) return;
      for (let r = study.begin[q], i = 0; r < study.begin[q + 1] && i < set.x; r++, i++) {
        const gain = Curves.resultGain(study, set, r, i + 1);
        if (gain !== 0) { gains.gain.push(gain); gains.rank.push(i); gains.query.push(queries.session.length); }
      }
      if (gains.gain.length > many) { queries.session.push(at); queries.position.push(n); }
    });
    const gain = Float64Array.from(gains.gain), rank = Int32Array.from(gains.rank), query = Int32Array.from(gains.query);
    const session = Int32Array.from(queries.session), position = Int32Array.from(queries.position);
    const dcg = new Float64Array(session.length), values = new Float64Array(sessions.length);
    const findIdeals = set.normalised ? prepareIdeals(study, set, sessions, lengths) : null;
    let lastB = null;
    // What each session counts for in the mean of its group; the same array every time.
    function valuesAt(b, bq) {
      const factors = Curves.discountFactors(study, { ...set, b, bq }), isOtherB = b !== lastB;
      if (isOtherB) { dcg.fill(0); for (let r = 0; r < gain.length; r++) dcg[query[r]] += gain[r] * factors.rank[rank[r]]; }
      lastB = b;
      values.fill(0);
      for (let q = 0; q < session.length; q++) values[session[q]] += dcg[q] * factors.query[position[q]];
      if (findIdeals) {
        const ideals = findIdeals(factors, isOtherB);
        for (let at = 0; at < values.length; at++) values[at] = Curves.ratio(values[at], ideals[at], study.empty);
      }
      return values;
    }
    const { number } = study.units, place = Int32Array.from(sessions, (s, at) => group[at] * number + study.units.of[s]);
    const sums = new Float64Array(codesThere.length * number), counts = new Float64Array(codesThere.length * number);
    const groups = codesThere.map((_, g) => ({ sums: sums.subarray(g * number, (g + 1) * number), counts: counts.subarray(g * number, (g + 1) * number), total: 0, mean: NaN, number: 0 }));
    // What the units (searchers with all their sessions) of each group add up to, and its mean; the same arrays every time.
    function sumUnits(b, bq) {
      valuesAt(b, bq);
      sums.fill(0);
      counts.fill(0);
      for (let at = 0; at < values.length; at++) if (!Number.isNaN(values[at])) { sums[place[at]] += values[at]; counts[place[at]]++; }
      for (const one of groups) {
        let sum = 0, total = 0, many = 0;
        for (let u = 0; u < number; u++) { sum += one.sums[u]; total += one.counts[u]; if (one.counts[u]) many++; }
        Object.assign(one, { total, mean: sum / total, number: many });
      }
      return groups;
    }
    return { sessions, codes: codesThere, units: study.units, hasGain: gain.length > 0, sumUnits };
  }

  // What an ideal session gains in all, for each of these sessions; the same array every time.
  function prepareIdeals(study, set, sessions, lengths) {
    const { of, kinds } = set.duplicates === "judged" ? study.ownPools : study.pools;
    const kind = Curves.idealKind(set), x = set.x, repeats = kind === "repeated", ideals = new Float64Array(sessions.length);
    const best = kinds.map((pool) => Float64Array.from(Curves.bestGains(pool, set.weights, repeats ? x : study.longest * x)));
    const base = Int32Array.from(sessions, (s) => of[study.first[s]]);
    const hasOneBase = sessions.map((s, at) => of.subarray(study.first[s], study.first[s + 1]).every((other) => other === base[at]));
    const dcg = new Float64Array(best.length), until = new Float64Array(study.longest + 1);
    function sumQueries(at, query) {
      const begin = study.first[sessions[at]], last = study.first[sessions[at] + 1] - 1;
      let sum = 0;
      for (let q = 0; q < lengths[at]; q++) sum += (dcg[of[Math.min(begin + q, last)]] ?? 0) * query[q];
      return sum;
    }
    function sumRepeats({ rank, query }, isOtherB) {
      if (isOtherB) best.forEach((gains, kindOf) => { dcg[kindOf] = gains.reduce((sum, gain, i) => sum + gain * rank[i], 0); });
      for (let q = 0; q < study.longest; q++) until[q + 1] = until[q] + query[q];
      for (let at = 0; at < ideals.length; at++) ideals[at] = !hasOneBase[at] ? sumQueries(at, query) : base[at] < 0 ? 0 : dcg[base[at]] * until[lengths[at]];
      return ideals;
    }
    // Sessions of one length and one base have one ideal.
    const slotsOf = new Map([...new Set(lengths)].map((length) => [length, new Float64Array(length * x)])), alike = new Map();
    if (!repeats) sessions.forEach((_, at) => {
      const key = `${base[at]} ${lengths[at]}`;
      if (base[at] >= 0) alike.set(key, [...(alike.get(key) ?? []), at]);
    });
    function sumSlots({ rank, query }) {
      for (const slots of slotsOf.values()) {
        for (let place = 0; place < slots.length; place++) slots[place] = rank[place % x] * query[Math.floor(place / x)];
        if (kind === "best_slots") slots.sort().reverse();
      }
      for (const own of alike.values()) {
        const slots = slotsOf.get(lengths[own[0]]), gains = best[base[own[0]]];
        let sum = 0;
        for (let n = 0; n < gains.length && n < slots.length; n++) sum += gains[n] * slots[n];
        for (const at of own) ideals[at] = sum;
      }
      return ideals;
    }
    return repeats ? sumRepeats : sumSlots;
  }

  // ── means, and how sure they are ──
  // How far a mean, or the difference of two, would vary with other units of the same kind.
  function standardError(one, other) {
    const share = 1 / one.total, otherShare = other ? 1 / other.total : 0;
    let squares = 0, number = 0;
    for (let u = 0; u < one.sums.length; u++) {
      if (!one.counts[u] && !other?.counts[u]) continue;
      const part = (one.sums[u] - one.mean * one.counts[u]) * share - (other ? (other.sums[u] - other.mean * other.counts[u]) * otherShare : 0);
      number++;
      squares += part * part;
    }
    return number > 1 ? Math.sqrt((squares * number) / (number - 1)) : NaN;
  }

  // The 95 % interval by drawing units again, as often as the page says: of a mean, or of the difference of two. Null of fewer than two units.
  function findInterval(layout, one, other) {
    if (one.number < 2 || (other && other.number < 2)) return null;
    const { number, weights } = layout.units, resamples = weights.length / number, drawn = [];
    for (let r = 0, w = 0; r < resamples; r++) {
      let sum = 0, count = 0, otherSum = 0, otherCount = 0;
      for (let u = 0; u < number; u++, w++) { // most weights are not 0: to skip those costs more
        const weight = weights[w];
        sum += weight * one.sums[u]; count += weight * one.counts[u];
        if (other) { otherSum += weight * other.sums[u]; otherCount += weight * other.counts[u]; }
      }
      if (count && (!other || otherCount)) drawn.push(sum / count - (other ? otherSum / otherCount : 0));
    }
    const sorted = Float64Array.from(drawn).sort();
    return LEVELS.map((level) => {
      const at = level * (sorted.length - 1), low = Math.floor(at);
      return sorted[low] + (at - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
    });
  }

  // The verdict for one searcher: means of all groups, the two that are compared, and the interval of their difference.
  function judge(layout, set, wanted) {
    const groups = layout.sumUnits(set.b, set.bq), means = groups.map((one) => one.mean);
    const order = layout.codes.map((_, g) => g).filter((g) => !Number.isNaN(means[g])).sort((a, b) => means[b] - means[a] || a - b);
    const asked = wanted.map((code) => (code === null ? -1 : layout.codes.indexOf(code)));
    const first = order.includes(asked[0]) ? asked[0] : order.find((g) => g !== asked[1]), second = order.includes(asked[1]) && asked[1] !== first ? asked[1] : order.find((g) => g !== first);
    const [leader, other] = second === undefined || means[first] >= means[second] ? [first, second] : [second, first];
    const units = [leader, other].map((g) => (g === undefined ? null : groups[g]));
    const interval = leader === undefined ? null : findInterval(layout, units[0], units[1]);
    const ahead = other === undefined ? null : means[leader] - means[other], error = leader === undefined ? NaN : standardError(units[0], units[1]);
    const ties = ahead !== null && !(ahead > 1e-12 * Math.max(Math.abs(means[leader]), 1e-12));
    const few = units.some((one) => one && one.number < FEW), reach = few ? Infinity : interval && error > 0 ? (ahead - interval[0]) / error : 1.96;
    return { means, leader, other, ahead, ties, interval, few, isSure: !ties && !few && interval !== null && interval[0] > 0, reach };
  }

  // ── the map ──
  const spread = ([low, high], points) => Array.from({ length: points }, (_, n) => (n === points - 1 ? high : low * (high / low) ** (n / (points - 1))));

  // Who leads at each b and bq of the grid: by group how far it is ahead of the best other, and the standard error of the
  // leader's lead. No searcher changes that, so it is kept with the layout.
  function mapLeaders(layout, ranges) {
    const b = spread(ranges.b, POINTS), bq = spread(ranges.bq, POINTS), errors = new Float64Array(POINTS * POINTS);
    const leads = layout.codes.map(() => new Float64Array(POINTS * POINTS));
    b.forEach((base, i) => bq.forEach((queryBase, j) => {
      const groups = layout.sumUnits(base, queryBase), cell = i * POINTS + j, meanOf = (g) => (Number.isNaN(groups[g].mean) ? -Infinity : groups[g].mean);
      let [first, second] = meanOf(1) > meanOf(0) ? [1, 0] : [0, 1];
      for (let g = 2; g < groups.length; g++) if (meanOf(g) > meanOf(first)) [first, second] = [g, first]; else if (meanOf(g) > meanOf(second)) second = g;
      for (let g = 0; g < groups.length; g++) leads[g][cell] = Number.isNaN(groups[g].mean) ? -1 : groups[g].mean - groups[g === first ? second : first].mean;
      errors[cell] = standardError(groups[first], groups[second]);
    }));
    return { b, bq, leads, errors };
  }

  // Where the lead between two groups changes, along b or bq, nearest to the searcher; null where it does not.
  function findCrossing(layout, set, range, along, leader, other) {
    const ahead = (base) => { const groups = layout.sumUnits(along === "b" ? base : set.b, along === "b" ? set.bq : base); return groups[leader].mean - groups[other].mean; };
    const bases = spread(range, POINTS), leads = bases.map(ahead), distance = (base) => Math.abs(Math.log(base / set[along]));
    let nearest = null;
    for (let n = 0; n + 1 < POINTS; n++) {
      if (leads[n] > 0 === leads[n + 1] > 0) continue;
      let [low, high] = [Math.log(bases[n]), Math.log(bases[n + 1])], [atLow, atHigh] = [leads[n], leads[n + 1]];
      for (let step = 0; step < STEPS && atLow !== atHigh; step++) { // false position, halved where one end stays
        const middle = low + (high - low) * Math.min(Math.max(atLow / (atLow - atHigh), 0.02), 0.98), atMiddle = ahead(Math.exp(middle));
        if (atMiddle > 0 === atLow > 0) { [low, atLow] = [middle, atMiddle]; atHigh /= 2; } else { [high, atHigh] = [middle, atMiddle]; atLow /= 2; }
      }
      const base = Math.exp((low + high) / 2);
      if (nearest === null || distance(base) < distance(nearest)) nearest = base;
    }
    return nearest;
  }

  // All that takes longer, for a verdict: the map, where a lead is beyond chance, and where the lead changes.
  function survey(study, set, ranges, { leader, other, reach }) {
    const layout = layOut(study, set), crossings = {}, { errors, ...map } = layout.map ??= mapLeaders(layout, ranges);
    const based = { b: study.discounts.get(set.discount).based, bq: study.discounts.get(set.query_discount).based };
    for (const along of ["b", "bq"]) crossings[along] = based[along] ? findCrossing(layout, set, ranges[along], along, leader, other) : null;
    const sure = map.leads.map((field) => field.map((lead, cell) => (Number.isFinite(reach * errors[cell]) ? lead - reach * errors[cell] : -1)));
    return { codes: layout.codes, crossings, ...map, sure };
  }

  // Surveys in a worker, one at a time: of many questions only the last waits. Without workers the page computes itself.
  function makeSurveyor(data, study, code) {
    const ranges = data.map;
    let worker = null, busy = false, next = null;
    try {
      worker = new Worker(URL.createObjectURL(new Blob([code, "let study;onmessage=({data:m})=>{if(m.data){study=Curves.prepareStudy(m.data);return;}postMessage(Searchers.survey(study,m.set,m.ranges,m.verdict));};"], { type: "text/javascript" })));
      const { look, ...plain } = data;
      worker.postMessage({ data: plain });
    } catch { worker = null; }
    const send = (question) => {
      busy = true;
      const finish = (answer) => { busy = false; if (next) { const waiting = next; next = null; send(waiting); } question.done(answer); };
      if (!worker) { setTimeout(() => finish(survey(study, question.set, ranges, question.verdict)), 0); return; }
      worker.onmessage = ({ data: answer }) => finish(answer);
      worker.onerror = (event) => { event.preventDefault(); worker = null; send(question); };
      worker.postMessage({ set: question.set, ranges, verdict: question.verdict });
    };
    // The survey of a setting and its verdict; undefined where another was asked for before it was begun.
    return (set, verdict) => new Promise((done) => {
      const question = { set: structuredClone(set), verdict, done };
      if (!busy) { send(question); return; }
      next?.done(undefined);
      next = question;
    });
  }

  return { layOut, judge, survey, makeSurveyor };
})();
