// Attention: the present state, a timeline of eight days, their sums. Days and
// hours are those of the browser's clock; what was when comes from /attention,
// and what is now with the stream. Nothing here runs before page.js calls it.
"use strict";

// States in the order in which they are shown. Each differs from the others by
// height and pattern too, not by colour alone.
const STATES = {
  focused: { name: "Focused", height: 1, pattern: "solid" },
  distracted: { name: "Distracted", height: 1, pattern: "stripes" },
  drowsy: { name: "Drowsy", height: 0.78, pattern: "dots" },
  idle: { name: "Idle", height: 0.45, pattern: "bars" },
  away: { name: "Away", height: 0.2, pattern: "solid" },
  unknown: { name: "Unknown", height: 0, pattern: "none" },
  paused: { name: "Paused", height: 1, pattern: "cross" },
};
const SUMMED = ["focused", "distracted", "drowsy", "idle", "away", "paused", "unknown"];
const SOURCES = { rule: "by rule", llm: "by the language model", fallback: "by the fallback" };
const DAYS = 8, HOUR = 3600e3, DAY = 24 * HOUR;

const desk = {
  now: null, changes: null, fetched: -1, wanted: -1, loading: false, skew: 0, drawn: 0, today: 0, made: false,
  spans: null, rows: null,
};
const nowMs = () => Date.now() + desk.skew;

// --- time

// wall is how far the clock on the wall has gone since its midnight.
function wall(t) {
  const d = new Date(t);
  return d.getHours() * HOUR + d.getMinutes() * 60e3 + d.getSeconds() * 1e3 + d.getMilliseconds();
}

// dayOf is the local day that began so many days before that of t. On a day on
// which clocks change it has two pieces, each as long on the wall as in truth.
function dayOf(t, back) {
  const d = new Date(t);
  const at = (n) => new Date(d.getFullYear(), d.getMonth(), d.getDate() + n).getTime();
  const from = at(-back), to = at(1 - back), offset = (x) => new Date(x).getTimezoneOffset();
  const day = { from, to, pieces: [{ from, to, wall: wall(from) }], twice: null };
  if (offset(from) === offset(to - 1)) return day;
  let lo = from, hi = to - 1; // the clock changes after lo and not after hi
  while (hi - lo > 1) {
    const mid = Math.floor((lo + hi) / 2);
    if (offset(mid) === offset(from)) lo = mid; else hi = mid;
  }
  const first = { from, to: hi, wall: wall(from) }, second = { from: hi, to, wall: wall(hi) };
  day.pieces = [first, second];
  const end = first.wall + (first.to - first.from);
  if (second.wall < end) day.twice = { from: second.wall, to: end };
  return day;
}

// spansOf are the times in which one state held, oldest first. Before the first
// change there are none.
function spansOf(changes, end) {
  const spans = [];
  changes.forEach((c, i) => {
    const to = Math.min(end, i + 1 < changes.length ? changes[i + 1].at : end), last = spans[spans.length - 1];
    if (to <= c.at) return;
    if (last && last.state === c.state && last.to === c.at) last.to = to;
    else spans.push({ from: c.at, to, state: c.state, sure: c.sure, source: c.source });
  });
  return spans;
}

function between(spans, from, to) {
  const list = [];
  for (const s of spans) {
    if (s.to > from && s.from < to) list.push({ ...s, from: Math.max(s.from, from), to: Math.min(s.to, to) });
  }
  return list;
}

function sumsOf(spans) {
  const sums = {};
  for (const s of spans) sums[s.state] = (sums[s.state] || 0) + s.to - s.from;
  return sums;
}

function long(ms) {
  const m = Math.round(ms / 60e3);
  if (ms > 0 && ms < 60e3) return `${Math.max(1, Math.round(ms / 1e3))} s`;
  return m < 60 ? `${m} min` : `${Math.floor(m / 60)} h ${pad(m % 60)} min`;
}

const hhmm = (t) => { const d = new Date(t); return `${pad(d.getHours())}:${pad(d.getMinutes())}`; };
const dayName = (day, i) => i === 0 ? "Today" : i === 1 ? "Yesterday"
  : new Date(day.from).toLocaleDateString("en", { weekday: "short", day: "numeric", month: "short" });
const dayShort = (day, i) => i === 0 ? "Today"
  : new Date(day.from).toLocaleDateString("en", { weekday: "short", day: "numeric" });

// --- following

// helloAttention goes by the clock of the process. What another one or a lost
// connection kept from the page is fetched with the next state.
function helloAttention(hello, same) {
  desk.skew = hello.now - Date.now();
  if (same) return;
  desk.now = desk.changes = null;
  $("attention").hidden = true; // until that process says that it judges
}

function makeAttention() {
  makeLegend();
  makeRows();
  $("attention-acts").addEventListener("click", attentionAct);
  new ResizeObserver(drawDays).observe($("days"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawDays);
  desk.made = true;
}

function takeAttention(view) {
  if (!desk.made) makeAttention();
  $("attention").hidden = false;
  const before = desk.now;
  desk.now = view;
  desk.wanted = view.changes;
  // A missed change is fetched; one that just came is known without.
  if (!desk.changes || !before || view.changes > before.changes + 1 || view.changes < before.changes) loadChanges();
  else if (view.changes !== before.changes) desk.fetched = view.changes;
  drawAttention();
}

function takeHistory(h) {
  desk.changes = h.changes.map(([at, state, sure, source]) =>
    ({ at, state: h.states[state], sure, source: h.sources[source] }));
}

// loadChanges fetches the history, again if it changed meanwhile.
async function loadChanges() {
  if (desk.loading) return;
  desk.loading = true;
  try {
    let seen;
    do {
      seen = desk.wanted;
      const r = await request("/attention");
      if (!r.ok) throw new Error(r.status);
      const h = await r.json();
      takeHistory(h);
      desk.fetched = seen;
    } while (desk.fetched !== desk.wanted);
  } catch { /* the stream breaks too, and begins again with all */ }
  desk.loading = false;
  drawAttention();
}

// present is what holds now, as the last change of the history.
function present() {
  const v = desk.now;
  if (v.paused) return { at: Date.parse(v.paused), state: "paused", sure: 0, source: "" };
  return { at: Date.parse(v.since), state: v.state || "unknown", sure: Math.round(v.confidence * 100),
    source: v.source };
}

// known are all changes. The stream may know the last one before the history.
function known() {
  const list = desk.changes || [], now = present(), last = list[list.length - 1];
  if (!desk.now.state && !desk.now.paused) return list;
  if (!last || now.at > last.at && now.state !== last.state) return [...list, now];
  return list;
}

// --- the present

function drawAttention() {
  if (!desk.now) return;
  const v = desk.now, now = present(), t = nowMs(), never = !v.state && !v.paused;
  const box = $("attention");
  cls(box, `attention is-${now.state}${v.muted ? " muted" : ""}`);
  put($("attention-desk"), v.desk);
  put($("now-state"), never ? "Not judged yet" : STATES[now.state].name);
  put($("now-for"), never ? "" : `since ${clock(now.at)} · ${long(Math.max(0, t - now.at))}`);
  put($("now-why"), never ? "Nothing has been judged yet. The first judgement comes within half a minute once a " +
    "face tracker or the use of the computer is seen."
    : v.paused ? "Nothing is collected or judged, and no notices are given, until it is resumed."
    : v.reasoning ? `“${v.reasoning}”` : "");
  drawFacts(v, now, t);
  drawActs(v, never);
  drawNotice(v);
  const spans = spansOf(known(), t);
  desk.spans = spans;
  drawSums(spans, t);
  drawTable(spans, t);
  drawTransitions(spans, t);
  drawDays();
}

function drawFacts(v, now, t) {
  const facts = [];
  if (!v.paused && v.state) {
    if (v.state !== "unknown") facts.push(["Sure", `${now.sure} %`], ["Judged", SOURCES[v.source] || v.source]);
    if (v.raw) {
      const same = v.raw.state === v.state;
      const look = same ? "the same" : STATES[v.raw.state].name.toLowerCase();
      const sure = v.raw.state === "unknown" ? "" : `, ${Math.round(v.raw.confidence * 100)} % sure`;
      facts.push(["Newest look", `${look}${sure}${same ? "" : ": reported once it lasts"}`]);
    }
    const at = Date.parse((v.raw || {}).at || v.seen_at);
    if (at > 0) facts.push(["Age", `${span(Math.max(0, (t - at) / 1000))}`]);
  }
  facts.push(["Notices", v.muted ? `muted${v.muted_until ? ` until ${clock(v.muted_until)}` : ""}`
    : v.paused ? "none while paused" : "on"]);
  keyed($("now-facts"), facts, (f) => f[0], (f) => {
    const d = el("div");
    add(d, el("dt", "", f[0]), el("dd"));
    return d;
  }, (d, f) => put(d.lastChild, f[1]));
}

function drawNotice(v) {
  const n = v.notice, told = n && !v.paused && !v.muted && n.state === v.state && n.since === v.since;
  const text = !told ? "" : v.state === "drowsy"
    ? `Drowsy since ${clock(n.since)}. A short break or some fresh air may help.`
    : `Distracted since ${clock(n.since)}. Back to it, or time for a break?`;
  put($("attention-notice"), text);
  $("attention-notice").hidden = !text;
}

// --- pause and resume

function drawActs(v, never) {
  const acts = [];
  if (state.hello.acts) {
    acts.push(v.paused ? { verb: "resume_attention", text: "Resume attention", cls: "main" }
      : { verb: "pause_attention", text: "Pause attention" });
    if (!v.paused && !never) {
      if (v.muted) acts.push({ verb: "unmute_notices", text: "Unmute notices", cls: "main" });
      else acts.push({ verb: "mute_notices", minutes: 60, text: "Mute for 1 h" },
        { verb: "mute_notices", minutes: 0, text: "Mute" });
    }
  }
  keyed($("attention-acts"), acts, (a) => a.verb + a.minutes, (a) => {
    const b = el("button", a.cls || "", a.text);
    b.type = "button";
    b.act = { verb: a.verb, minutes: a.minutes || 0 };
    return b;
  }, () => {});
}

function attentionAct(e) {
  if (e.target.act) ask(e.target, e.target.act);
}

// --- sums, the table, the transitions

function drawSums(spans, t) {
  const day = dayOf(t, 0), sums = sumsOf(between(spans, day.from, t));
  const rows = SUMMED.filter((s) => sums[s] && (s !== "unknown" || sums[s] >= 60e3));
  const most = Math.max(1, ...rows.map((s) => s === "unknown" ? 0 : sums[s])),
    total = rows.reduce((n, s) => n + (s === "unknown" || s === "paused" ? 0 : sums[s]), 0);
  empty($("sums"), !rows.length, "Nothing yet.");
  keyed($("sums"), rows, (s) => s, (s) => {
    const li = el("li");
    const bar = el("span", "bar");
    add(bar, el("i", `swatch ${s}`));
    add(li, el("span", "name", STATES[s].name), bar, el("span", "time"), el("span", "share"));
    return li;
  }, (li, s) => {
    li.querySelector("i").style.width = s === "unknown" ? "0" : `${(100 * sums[s] / most).toFixed(1)}%`;
    put(li.querySelector(".time"), long(sums[s]));
    put(li.querySelector(".share"), s === "unknown" || s === "paused" ? "" : `${Math.round(100 * sums[s] / total)} %`);
  });
}

function drawTable(spans, t) {
  const rows = [];
  for (let i = 0; i < DAYS; i++) {
    const day = dayOf(t, i), from = day.from;
    rows.push({ key: from, name: dayName(day, i), hours: (day.to - from) / HOUR,
      sums: sumsOf(between(spans, from, Math.min(t, day.to))) });
  }
  keyed($("day-table"), rows, (r) => r.key, () => {
    const tr = el("tr"), th = el("th");
    th.scope = "row";
    add(tr, th, ...SUMMED.map(() => el("td")));
    return tr;
  }, (tr, r) => {
    put(tr.firstChild, r.hours === 24 ? r.name : `${r.name} (${r.hours} h)`);
    SUMMED.forEach((s, i) => put(tr.children[i + 1], r.sums[s] ? long(r.sums[s]) : "–"));
  });
}

const MOST = 100; // transitions in the list

function drawTransitions(spans, t) {
  const day = dayOf(t, 0), today = between(spans, day.from, t).reverse();
  const box = $("transitions");
  keyed(box, today.slice(0, MOST), (s) => s.from, (s) => {
    const tr = el("tr"), td = el("td");
    add(td, el("i", `swatch ${s.state}`), el("span", "", STATES[s.state].name));
    add(tr, el("td", "", hhmm(s.from)), td, el("td"), el("td"), el("td"));
    return tr;
  }, (tr, s) => {
    put(tr.children[2], long(s.to - s.from) + (s === today[0] ? ", so far" : ""));
    put(tr.children[3], s.sure && s.state !== "unknown" ? `${s.sure} %` : "");
    put(tr.children[4], s.state === "paused" || s.state === "unknown" ? "" : SOURCES[s.source] || "");
  });
  const more = today.length - MOST;
  put($("transitions-note"), !today.length ? "None yet today."
    : more > 0 ? `And ${more.toLocaleString("en")} earlier today: kehai focus export --csv writes them all.` : "");
  put($("transitions-count"), today.length || "");
}

// --- ticks of the clock

function tickAttention() {
  if (!desk.now) return;
  const t = nowMs();
  if (t - desk.drawn < 10e3 && dayOf(t, 0).from === desk.today) {
    drawFacts(desk.now, present(), t);
    return;
  }
  if (desk.today && dayOf(t, 0).from !== desk.today) loadChanges();
  drawAttention();
}
