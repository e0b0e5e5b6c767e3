// The live page. It follows /events and draws what comes: first everything, then
// what changes. Every element is kept and changed in place, so that nothing flickers, loses
// the focus or closes while somebody looks at it. Text from outside is only
// ever set as text, by shown.js.
"use strict";

const $ = (id) => document.getElementById(id);
const state = { hello: {} }; // of the process that the page talks to
const SVG = "http://www.w3.org/2000/svg";

// --- small helpers

function el(tag, cls, text) {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text !== undefined) put(e, text);
  return e;
}

function cls(e, name) { set(e, "class", name); }

// Kanji look different in Chinese fonts: say that text with them is Japanese.
const cjk = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]/;
function words(e, text) {
  put(e, text);
  if (cjk.test(text)) e.lang = "ja"; else e.removeAttribute("lang");
  e.dir = "auto";
}

// keyed makes the children of parent those of list, in order, reusing by key.
function keyed(parent, list, key, make, update) {
  const old = new Map();
  for (const c of parent.children) if (c.dataset.key !== undefined) old.set(c.dataset.key, c);
  let at = parent.firstElementChild;
  for (const item of list) {
    const k = String(key(item));
    let e = old.get(k);
    old.delete(k);
    if (!e) {
      e = make(item);
      e.dataset.key = k;
    }
    if (e === at) at = at.nextElementSibling; else parent.insertBefore(e, at);
    update(e, item);
  }
  for (const e of old.values()) e.remove();
}

function empty(parent, show, text) {
  let e = parent.querySelector(":scope > .empty");
  if (show && !e) add(parent, el(parent.tagName === "OL" ? "li" : "p", "empty", text));
  if (!show && e) e.remove();
}

const plural = (n, one, many) => `${n.toLocaleString("en")} ${n === 1 ? one : many || one + "s"}`;

function ago(at) {
  const s = Math.max(0, (nowMs() - Date.parse(at)) / 1000);
  if (s < 1.5) return "now";
  return span(s) + " ago";
}

function span(s) {
  if (s < 60) return `${Math.floor(s)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min`;
  return plural(Math.floor(s / 86400), "day");
}

const pad = (n) => String(n).padStart(2, "0");
function clock(at) {
  const d = new Date(at), hm = `${pad(d.getHours())}:${pad(d.getMinutes())}`;
  if (new Date(nowMs()).toDateString() === d.toDateString()) return hm;
  return `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())} ${hm}`;
}

// --- commands

let refused = ""; // why the last one was not done

// ask has the process do something; what comes of it comes with the stream.
async function ask(button, act) {
  button.disabled = true;
  try {
    const r = await request("/act", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(act),
    });
    refused = r.ok ? "" : (await r.text()).trim();
  } catch {
    refused = "Kehai does not answer: nothing was changed.";
  }
  button.disabled = false;
  drawNotices(status.problems || []);
}

// --- windows

const windows = new Map(); // id → newest view
let status = {};

function drawWindows() {
  const waits = (id) => (windows.get(id)?.frame ? 0 : 1); // what there is to see comes first
  const ids = [...new Set([...(status.windows || []), ...windows.keys()])].sort((a, b) =>
    waits(a) - waits(b) || (a < b ? -1 : 1));
  const box = $("windows");
  drawWindowActs(ids);
  empty(box, ids.length === 0, "No window is watched. Add one to the configuration under windows.");
  keyed(box, ids, (id) => id, makeWindow, (fig, id) => updateWindow(fig, windows.get(id) || { id }));
}

// pausedSince tells since when a person has paused a window, "" if nobody has.
function pausedSince(id) {
  const p = (status.paused || []).find((p) => p.window === "" || p.window === id);
  return p ? p.since : "";
}

// drawWindowActs offers to pause all windows, or to resume what is paused.
function drawWindowActs(ids) {
  const paused = status.paused || [], all = paused.some((p) => p.window === "");
  const acts = !state.hello.acts || !ids.length ? [] : [
    ...(all ? [] : [{ verb: "pause_window", text: "Pause all" }]),
    ...(paused.length ? [{ verb: "resume_window", text: "Resume all", cls: "main" }] : []),
  ];
  keyed($("window-acts"), acts, (a) => a.verb, (a) => {
    const b = el("button", a.cls || "", a.text);
    b.type = "button";
    b.act = { verb: a.verb };
    return b;
  }, () => {});
}

for (const id of ["windows", "window-acts"]) {
  $(id).addEventListener("click", (e) => { if (e.target.act) ask(e.target, e.target.act); });
}

function makeWindow(id) {
  const fig = el("figure", "window");
  const cap = el("figcaption");
  const pause = el("button");
  pause.type = "button";
  add(cap, el("span", "name"), el("span", "id", id), el("span", "age"), pause);
  add(fig, cap, el("p", "why"), el("div", "screen blank", "Waiting for a frame…"), el("p", "read"));
  if (state.hello.tells) add(fig, makePipeline(id));
  return fig;
}

function updateWindow(fig, view) {
  const capture = view.capture;
  const paused = pausedSince(view.id), own = (status.paused || []).some((p) => p.window === view.id);
  cls(fig, paused ? "window failing paused" : capture ? "window failing" : "window");
  if (paused) put(fig.querySelector(".why"), `Paused since ${clock(paused)}: nothing is captured.`);
  else if (capture) put(fig.querySelector(".why"),
    `Not captured since ${clock(capture.at)}: ${capture.detail || capture.code}`);
  const b = fig.querySelector("button");
  b.hidden = !state.hello.acts || paused && !own;
  put(b, own ? "Resume" : "Pause");
  set(b, "aria-label", `${own ? "Resume" : "Pause"} ${view.id}`);
  b.act = { verb: own ? "resume_window" : "pause_window", window: view.id };
  const f = view.frame;
  const name = fig.querySelector(".name"), id = fig.querySelector(".id");
  words(name, (f && f.title) || view.id);
  put(id, f && f.title ? view.id : "");
  if (!f) {
    if (windows.has(view.id)) blankFrame(fig, view.hidden ? "What the window shows is not read."
      : "Waiting for a frame…");
    return;
  }
  const stamp = `${state.hello.boot}-${f.version}`;
  if (fig.dataset.wanted === stamp) return;
  fig.dataset.wanted = stamp;
  if (!fig.dataset.loading) loadFrame(fig);
}

// blankFrame takes the picture away, also one that is on its way.
function blankFrame(fig, why) {
  const screen = fig.querySelector(".screen");
  if (!screen.classList.contains("blank")) {
    fig.blanks = (fig.blanks || 0) + 1;
    for (const k of ["wanted", "shown", "at"]) delete fig.dataset[k];
    screen.className = "screen blank";
    screen.removeAttribute("style");
    fill(screen);
    for (const c of [".age", ".read"]) put(fig.querySelector(c), "");
    if (state.hello.tells) clearPipeline(fig.querySelector(".pipeline"), "");
    if (tipFor && !tipFor.isConnected) hideTip();
  }
  put(screen, why);
}

// loadFrame fetches the wanted picture and shows it together with its bubbles.
// While one is on its way newer ones only change what is wanted next.
async function loadFrame(fig) {
  const id = fig.dataset.key, stamp = fig.dataset.wanted, f = windows.get(id).frame, blanks = fig.blanks;
  fig.dataset.loading = stamp;
  try {
    const img = await fetchPicture(`/frame?window=${encodeURIComponent(id)}`, `Newest frame of ${id}`);
    if (fig.blanks === blanks) { // it was not taken away meanwhile
      showFrame(fig, img, f);
      fig.dataset.shown = stamp;
    }
  } catch { /* it is gone, or the page says that the connection is lost */ }
  delete fig.dataset.loading;
  if (fig.isConnected && fig.dataset.wanted !== undefined && fig.dataset.wanted !== stamp) loadFrame(fig);
}

function showFrame(fig, img, f) {
  const screen = fig.querySelector(".screen");
  if (screen.classList.contains("blank")) {
    screen.className = "screen";
    fill(screen);
    add(screen, document.createElementNS(SVG, "svg"));
  }
  screen.style.aspectRatio = `${f.w} / ${f.h}`;
  screen.style.maxWidth = `min(100%, ${f.w}px, calc(78vh * ${(f.w / f.h).toFixed(4)}))`;
  const old = screen.querySelector("img");
  if (old) screen.replaceChild(img, old); else screen.insertBefore(img, screen.firstChild);
  drawBubbles(screen.querySelector("svg"), f);
  fig.dataset.at = f.at;
  put(fig.querySelector(".age"), ago(f.at));
  put(fig.querySelector(".read"),
    `${plural(f.bubbles.length, "bubble")} · ${f.read} read, ${f.cached} known · ${f.took_ms} ms`);
}

const bubbleOf = new WeakMap();

function drawBubbles(svg, f) {
  set(svg, "viewBox", `0 0 ${f.w} ${f.h}`);
  set(svg, "preserveAspectRatio", "none");
  while (svg.children.length > f.bubbles.length) svg.lastChild.remove();
  f.bubbles.forEach((b, i) => {
    let r = svg.children[i];
    if (!r) {
      r = document.createElementNS(SVG, "rect");
      set(r, "tabindex", "0");
      set(r, "role", "img");
      set(r, "rx", "6");
      add(svg, r);
    }
    const at = { x: b.box.x, y: b.box.y, width: b.box.w, height: b.box.h };
    for (const k in at) set(r, k, at[k]);
    cls(r, b.kind === "unreadable" ? "unreadable" : b.side);
    set(r, "aria-label", `${b.side} ${b.kind}: ${b.text}`);
    bubbleOf.set(r, b);
  });
  if (tipFor && tipFor.isConnected) showTip(tipFor); else hideTip();
}

// --- the text of a bubble, on hover, focus or tap

let tipFor = null;

function showTip(rect) {
  const b = bubbleOf.get(rect), tip = $("tip");
  tipFor = rect;
  const text = el("div", "text"), meta = el("div", "meta");
  words(text, b.text || (b.kind === "unreadable" ? "Something is here that could not be read." : `(${b.kind})`));
  const facts = [b.sender, b.kind === "text" ? b.side : `${b.side} ${b.kind}`, b.stamp,
    b.clipped ? "cut by the edge" : "",
    b.confidence ? `${Math.round(b.confidence * 100)} % sure` : ""];
  words(meta, facts.filter(Boolean).join(" · "));
  fill(tip, text, meta);
  tip.hidden = false;
  const r = rect.getBoundingClientRect(), t = tip.getBoundingClientRect();
  const below = r.bottom + 8 + t.height < innerHeight || r.top < t.height + 16;
  tip.style.left = `${Math.max(12, Math.min(r.left, innerWidth - t.width - 12))}px`;
  tip.style.top = `${below ? r.bottom + 8 : r.top - t.height - 8}px`;
}

function hideTip() {
  tipFor = null;
  $("tip").hidden = true;
}

for (const [on, off] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
  $("windows").addEventListener(on, (e) => { if (bubbleOf.has(e.target)) showTip(e.target); });
  $("windows").addEventListener(off, hideTip);
}
addEventListener("scroll", hideTip, { passive: true });
addEventListener("keydown", (e) => { if (e.key === "Escape") hideTip(); });

// --- messages

let list = []; // oldest first

function addMessages(more, replace) {
  const known = new Set(list.map((m) => m.seq));
  if (replace) list = more;
  else list = list.concat(more.filter((m) => !known.has(m.seq))).sort((a, b) => a.seq - b.seq);
  list = list.slice(-state.hello.keep);
  drawMessages(replace ? null : known);
}

// A change stands with its message, and a reply that turns up after all where it was
// told of first.
function drawMessages(known) {
  const box = $("messages"), changes = new Map(), replies = new Map(), here = new Set();
  for (const e of list) if (!e.event) here.add(e.id);
  const shown = [];
  for (const e of list) {
    const sent = e.event === "reply" ? e.reply || `key ${e.key}` : "";
    if (e.event === "message_changed" && here.has(e.message)) {
      changes.set(e.message, [...(changes.get(e.message) || []), e]);
    }
    else if (sent && replies.has(sent)) replies.set(sent, e);
    else {
      if (sent) replies.set(sent, e);
      shown.push(e);
    }
  }
  shown.reverse();
  empty(box, shown.length === 0, "No message yet. They appear here as they arrive.");
  put($("message-count"), shown.length ? `newest ${shown.length}` : "");
  keyed(box, shown, (e) => e.seq, (e) => makeEntry(e, known && !known.has(e.seq)), (li, e) => {
    put(li.querySelector("time"), clock(e.seen_at));
    if (!e.event) markMessage(li, e, changes.get(e.id) || []);
    if (e.event === "reply") markReply(li, replies.get(e.reply || `key ${e.key}`), here);
  });
}

// markMessage shows what became of a message after it was delivered.
function markMessage(li, m, all) {
  const changes = all.filter((c) => c.kind !== "masked"), said = li.querySelector(".said");
  for (const c of all) {
    const part = m.parts.find((p) => p.occurrence === c.occurrence);
    if (c.kind === "masked" && part) part.text = c.new;
  }
  const text = m.parts.map((p) => p.text).filter(Boolean).join("\n");
  if (changes.length < all.length && said.textContent !== plain(text)) words(said, text);
  keyed(li.querySelector(".changes"), changes, (c) => c.seq, (c) => makeChange(c, m.parts.length <= 1), () => {});
  li.querySelector(".changes").hidden = !changes.length;
  said.classList.toggle("gone", changes.length > 0 && m.parts.length <= 1);
}

// markReply shows whether a reply went out, and what it answers.
function markReply(li, r, here) {
  const chip = li.querySelector(".chip.reply");
  put(chip, r.state === "unknown" ? "unknown whether it was sent" : "sent by Kehai");
  chip.classList.toggle("unknown", r.state === "unknown");
  const answered = (r.answers || []).filter((id) => here.has(id));
  const said = list.filter((e) => !e.event && answered.includes(e.id)).map((e) => e.text || `(${e.kind})`);
  const to = li.querySelector(".answers");
  words(to, said.length ? `answers: ${said.join(" / ")}` : "");
  to.hidden = !said.length;
}

function makeChange(c, alone) {
  const li = el("li");
  add(li, el("span", `chip ${c.kind}`, changeWords[c.kind] || c.kind));
  if (c.kind === "unsent" && alone) add(li, el("span", "by", "by its sender"));
  else if (c.kind === "unsent") {
    const old = el("del");
    words(old, c.old || "");
    add(li, old);
  } else {
    const text = el("ins");
    words(text, c.new || "(no text)");
    add(li, text);
  }
  const time = el("time", "", clock(c.seen_at));
  time.dateTime = c.seen_at;
  add(li, time);
  return li;
}

const changeWords = { edited: "edited", unsent: "taken back", completed: "complete now" };

function makeEntry(e, isNew) {
  const li = el("li", isNew ? "new" : ""), who = el("p", "who"), said = el("p", "said");
  const where = e.called || e.conversation;
  const cut = where.indexOf(":");
  if (e.event) li.classList.add(e.event === "reply" ? "own" : "mark");
  const name = el("b");
  words(name, where.slice(cut + 1));
  add(who, name);
  if (e.sender && e.sender !== where.slice(cut + 1)) {
    const sender = el("span");
    words(sender, e.sender);
    add(who, sender);
  }
  if (cut > 0) add(who, el("span", "chip", where.slice(0, cut)));
  const time = el("time");
  time.dateTime = e.seen_at;
  set(time, "title", [e.id || e.reply, `seen ${new Date(e.seen_at).toLocaleString()}`].filter(Boolean).join(", "));
  fillEntry[e.event || ""]?.(e, who, said);
  add(who, time);
  if (!e.event && e.parts.some((p) => p.late)) add(who, el("span", "chip", "late: read by scrolling back"));
  if (!e.event && e.parts.some((p) => p.partial)) add(who, el("span", "chip", "cut: higher than the window"));
  add(li, who, said);
  if (!e.event) add(li, el("ul", "changes"));
  if (e.event === "reply") add(li, el("p", "answers"));
  return li;
}

// fillEntry says of each kind of entry what it is, and what was said.
const fillEntry = {
  ""(m, who, said) {
    if (m.kind !== "text") add(who, el("span", "chip", m.kind));
    if (m.parts.length > 1) add(who, el("span", "chip", `${m.parts.length} in a row`));
    words(said, m.text || (m.kind === "unreadable" ? "Something arrived that could not be read." : `(${m.kind})`));
    if (!m.text) said.classList.add("none");
  },
  message_changed(c, who, said) { // of a message that is not on the page
    add(who, el("span", `chip ${c.kind}`, changeWords[c.kind] || c.kind));
    const old = el("del"), now = el("ins");
    words(old, c.old || "");
    words(now, c.new || "");
    add(said, ...(c.new ? [old, " ", now] : [old]));
  },
  transcript_gap(g, who, said) {
    add(who, el("span", "chip gap", "gap"));
    words(said, `Messages may be missing here: ${g.what}.`);
    said.classList.add("none");
  },
  reply(r, who, said) {
    add(who, el("span", "chip reply"));
    words(said, r.text);
  },
};

// --- status: health, actors, workers

function drawStatus() {
  const actors = status.actors || [], problems = status.problems || [];
  $("health").hidden = false;
  cls($("health"), problems.length ? "pill bad" : "pill good");
  put($("health"), problems.length ? plural(problems.length, "problem") : "healthy");
  document.title = problems.length ? `(${problems.length}) Kehai` : "Kehai";
  drawRecording(status.recording);
  drawNotices(problems);
  drawActors(actors);
  drawCluster(status.cluster);
  keyed($("workers"), status.pools || [], (p) => p.kind, makePool, updatePool);
  drawDead(status.dead_letters || 0);
  drawWindows();
}

let lost = "";

function drawNotices(problems) {
  const list = problems.map((text) => ({ text, kind: "bad" }));
  if (status.model) list.push({ kind: "warn", text: status.model });
  const all = (status.paused || []).find((p) => p.window === "");
  if (all) {
    const since = clock(all.since);
    list.unshift({ kind: "warn",
      text: `All windows are paused since ${since}: no message is read until they are resumed.` });
  }
  if (refused) list.unshift({ kind: "warn", text: `Not done: ${refused}` });
  if (lost) list.unshift({ kind: "warn", text: lost });
  keyed($("notices"), list, (n) => n.text, (n) => el("p", `notice ${n.kind}`, n.text), () => {});
}

function drawActors(actors) {
  const kinds = new Map();
  for (const a of actors) {
    const cut = a.address.indexOf("/"), kind = a.address.slice(0, cut);
    if (!kinds.has(kind)) kinds.set(kind, []);
    kinds.get(kind).push({ ...a, key: a.address.slice(cut + 1) });
  }
  put($("actor-count"), actors.length ? `${plural(actors.length, "actor")} of ${plural(kinds.size, "kind")}` : "");
  empty($("actors"), actors.length === 0, "No actor is live.");
  const few = actors.length <= 12;
  keyed($("actors"), [...kinds], ([kind]) => kind, (k) => makeKind(k, few), updateKind);
}

const stateOf = (a) => (a.stopped ? "stopped" : !a.healthy ? "unhealthy" : a.mailbox || a.pending ? "working" : "idle");
const dotOf = { stopped: "dot stopped", unhealthy: "dot bad", working: "dot work", idle: "dot" };

function makeKind([kind, actors], few) {
  const d = el("details"), s = el("summary");
  d.open = few || actors.some((a) => !a.healthy);
  add(s, el("span", "dot"), el("span"), el("span"), el("span"));
  put(s.children[0], kind);
  add(d, s, el("ul"));
  return d;
}

function count(e, n, more, tone) {
  put(e, n.toLocaleString("en") + (more ? "+" : ""));
  cls(e, n ? tone : "zero");
}

function updateKind(d, [, actors]) {
  const cells = d.firstChild.children;
  cls(cells[0], actors.some((a) => !a.healthy) ? "dot bad" : actors.every((a) => a.stopped) ? "dot stopped" : "dot");
  put(cells[1], actors.length);
  count(cells[2], actors.reduce((n, a) => n + a.mailbox, 0), actors.some((a) => a.more), "some");
  count(cells[3], actors.reduce((n, a) => n + a.restarts, 0), false, "hot");
  keyed(d.lastChild, actors, (a) => a.key, makeActor, updateActor);
}

function makeActor(a) {
  const li = el("li"), key = el("span", "key");
  words(key, a.key);
  add(li, key, el("span", "state"), el("span"), el("span"), el("span", "error"));
  return li;
}

function updateActor(li, a) {
  const [key, st, mailbox, restarts, error] = li.children, s = stateOf(a);
  cls(key, `key ${dotOf[s]}`);
  put(st, s);
  cls(st, s === "unhealthy" ? "state bad" : "state");
  count(mailbox, a.mailbox, a.more, "some");
  count(restarts, a.restarts, false, "hot");
  set(li, "title", `${plural(a.turns, "turn")}, ${a.pending} waiting for their commit`);
  put(error, a.last_error && a.restarts ? `last error: ${a.last_error}` : "");
  error.hidden = !error.textContent;
}

function makePool(p) {
  const tr = el("tr");
  add(tr, el("td", "", p.kind), el("td"), el("td"), el("td"));
  return tr;
}

function updatePool(tr, p) {
  put(tr.children[1], `${p.busy} of ${p.size}`);
  count(tr.children[2], p.waiting, false, "some");
  count(tr.children[3], p.resting, false, "hot");
}

function drawDead(n) {
  const e = $("dead"), text = n ? `${plural(n, "dead letter")}: look at ${n === 1 ? "it" : "them"} with `
    : "No dead letters.";
  cls(e, n ? "dead some" : "dead");
  if (e.dataset.text === text) return;
  e.dataset.text = text;
  fill(e, text, ...(n ? [el("code", "", "kehai deadletters")] : []));
}

// drawRecording is the light that says that what windows show is kept.
function drawRecording(rec) {
  $("recording").hidden = !rec;
  put($("recording"), rec ? `Recording ${rec.windows.join(", ")} since ${clock(rec.since)}` : "");
}

function tick() {
  for (const fig of document.querySelectorAll(".window")) {
    if (fig.dataset.at) put(fig.querySelector(".age"), ago(fig.dataset.at));
  }
  const facts = [status.node, status.version];
  const started = Date.parse(status.started);
  if (started > 0) facts.push(`up ${span(Math.max(0, nowMs() - started) / 1000)}`);
  put($("facts"), facts.filter(Boolean).join(" · "));
  tickAttention();
}

// --- following /events

const firstWait = 1000, longestWait = 15000, silence = 40000; // milliseconds
const noToken = "This page needs a key: run kehai page, and open the address that it prints.";
const otherPage = "What answers has another page than this one, and this one may show it wrongly. " +
  "The command kehai status shows the address of the Kehai that runs.";

let cursor = ""; // id of the newest event that has one, where a new stream goes on
let stream = null, heard = Date.now(), wait = firstWait, timer = 0;

function link(cls_, text, notice) {
  cls($("link"), `link ${cls_}`);
  put($("link"), text);
  lost = notice || "";
  drawNotices(status.problems || []);
}

// connect follows a new stream to its end and tries again, unless the token is
// refused.
async function connect() {
  clearTimeout(timer);
  stream?.abort();
  const mine = stream = new AbortController();
  heard = Date.now();
  try {
    const r = await request("/events", { signal: mine.signal, headers: cursor ? { "Last-Event-ID": cursor } : {} });
    if (r.status === 401) {
      stream = null;
      link("lost", "closed", noKey() || oldKey);
      return;
    }
    if (r.ok) await readEvents(r, takeEvent);
  } catch { /* the connection is lost, or was given up */ }
  if (stream !== mine) return; // another one is open
  stream = null;
  link("lost", "reconnecting",
    `Connection lost. What you see is from ${clock(heard)}; the page tries again by itself.`);
  timer = setTimeout(connect, wait);
  wait = Math.min(wait * 2, longestWait);
}

const takes = {
  hello,
  ping() {},
  status(s) { status = s; drawStatus(); tick(); $("main").hidden = false; },
  attention: takeAttention,
  window(w) { windows.set(w.id, w); drawWindows(); refreshPipelines(w.id); },
  messages(m) { addMessages(m, false); },
  resync(m) { addMessages(m, true); },
};

function takeEvent(name, data, id) {
  heard = Date.now();
  if (id) cursor = id;
  takes[name]?.(data);
}

function hello(h) {
  wait = firstWait;
  // It is not loaded anew by itself: whoever takes the port before it is would put a page
  // of their own here, which reads what this tab stores.
  link("live", "live", state.hello.build && h.build !== state.hello.build ? otherPage : "");
  if (h.boot !== state.hello.boot) windows.clear(); // versions of another process mean nothing
  helloAttention(h, h.boot === state.hello.boot);
  state.hello = { ...h, build: state.hello.build || h.build };
}

setInterval(() => {
  tick();
  if (stream && Date.now() - heard > silence) connect();
}, 1000);

entered.then(() => {
  if (token) {
    link("", "connecting");
    connect();
  } else {
    link("lost", "no token", noEntry || noToken);
  }
});
