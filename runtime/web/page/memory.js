// The page of the memory: search as you type, one message with what it answers and what
// rests on it, and what a reply was given to rest on.
"use strict";

const pause = 150; // ms from the last key to the search
const isRun = (text) => /^\S+\/run\.\d+$/.test(text);
const links = { answered_by: "answered by", continuation: "goes on with", same_topic: "on the same topic" };
const moment = (at) => new Date(at).toLocaleString(undefined,
  { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const who = (e) => (e.own ? "you" : e.speaker || "somebody");

function failed(err) {
  link(err.status === 401 || err.status === 403 ? "locked" : "reconnecting");
  say("memory", err.message || "Kehai does not answer.", "bad");
}

// told are the states that rest on a message, each with when it held.
function told(k) {
  const until = k.until ? ` until ${moment(k.until)}${k.end ? `, ${k.end}` : ""}` : ", holds";
  return make("li", {}, `${k.kind} of ${who(k)}: `, foreign(k.topic === k.text ? k.text : `${k.topic}: ${k.text}`),
    ` since ${moment(k.from)}${until}`);
}

function changed(c) {
  const of = c.after || c.before;
  return make("li", {}, make("time", { datetime: c.at }, moment(c.at)), ` ${c.reason}: `,
    c.before ? foreign(c.before.text) : "nothing", " → ", foreign(c.after ? c.after.text : "nothing"),
    of.end ? ` (${of.end})` : "");
}

function list(name, items) {
  return items && items.length ? make("div", {}, make("h3", {}, name), make("ul", { class: "quotes" }, ...items)) : "";
}

// show draws one message.
async function show(id, conversation) {
  try {
    const e = await ask(`/v1/memory/event?${new URLSearchParams({ id, conversation })}`);
    link("live");
    say("memory", "");
    const open = (to, text) => make("button", { type: "button", click: () => show(to, e.conversation) }, text);
    fill(el("one"), make("div", { class: "card", "data-event": e.id },
      make("h3", {}, foreign(who(e)), make("time", { datetime: e.at }, moment(e.at))),
      e.answers ? make("blockquote", {}, foreign(e.answers.text), " ", open(e.reply_to, "Show what it answers")) : "",
      make("p", {}, foreign(e.text)),
      make("p", { class: "meta" }, foreign(e.called || e.conversation), make("span", {}, `id ${e.id}`),
        e.thread && e.thread !== e.id ? open(e.thread, "Show where this talk began") : ""),
      list("Linked with it", (e.links || []).map((l) =>
        make("li", {}, `${links[l.label] || l.label}: `, foreign(l.event.text), " ", open(l.event.id, "Show")))),
      list("Named", (e.names || []).map((n) => make("li", {}, `${n.kind}: `, foreign(n.name)))),
      list("What rests on it", (e.learned || []).map(told)), list("How that changed", (e.changes || []).map(changed)),
      list("Kept apart from", (e.apart || []).map((a) => make("li", {}, `${a.run} since ${moment(a.at)} `,
        make("button", { type: "button", click: () => apart(a.run, e.id, true, () => show(e.id, e.conversation)) },
          "Relate again"))))));
    el("one").scrollIntoView({ block: "nearest" });
  } catch (err) {
    failed(err);
  }
}

async function apart(run, id, undo, then) {
  try {
    await post("/v1/memory/unrelated", { run, id, undo });
    then();
  } catch (err) {
    failed(err);
  }
}

function hit(e, run) {
  return make("li", { class: "card", "data-hit": e.id },
    make("h3", {}, foreign(who(e)), make("time", { datetime: e.at }, moment(e.at))),
    make("p", {}, foreign(e.text || "(not kept any more, or not shared)")),
    make("p", { class: "meta" }, foreign(e.called || e.conversation), e.former ? make("span", {}, "no longer so") : "",
      e.state ? make("span", {}, "now ", foreign(e.state)) : "",
      make("span", {}, `by ${e.routes.map((r) => r.route).join(", ") || "words"}`)),
    e.text ? make("button", { type: "button", click: () => show(e.id, e.conversation) }, "Open") : "",
    run ? make("button", { type: "button", click: (c) =>
      apart(run, e.id, false, () => { c.target.disabled = true; put(c.target, "Unrelated"); }) },
      "Has nothing to do with it") : "");
}

let asked = 0;

// known is what a reply's model was told besides.
function known(told) {
  const lines = (told || []).map((t) => (t.own ? "you: " : t.speaker ? `${t.speaker}: ` : "") + t.text);
  return lines.length ? `; known besides: ${lines.join("; ")}` : "";
}

// search looks for what was typed. An answer that a newer question has overtaken is dropped.
async function search() {
  const text = el("words").value.trim(), mine = ++asked;
  if (!text) {
    fill(el("found"));
    return;
  }
  try {
    const run = isRun(text) ? text : "";
    const r = run ? await ask(`/v1/memory/run?${new URLSearchParams({ id: run })}`)
      : await post("/v1/memory/search", { text, conversation: "" });
    if (mine !== asked) return;
    link("live");
    say("memory", "");
    const list = r.found || [];
    const loading = r.loading ? ", and the memory is still being read" : "";
    const rested = run ? ", what the reply rested on" : "";
    put(el("sum"), `${list.length} of ${r.candidates}${loading}${rested}${known(r.told)}`);
    fill(el("found"), ...list.map((e) => hit(e, run)));
  } catch (err) {
    if (mine === asked) failed(err);
  }
}

let due = 0;
el("words").addEventListener("input", () => {
  clearTimeout(due);
  due = setTimeout(search, pause);
});
answers().then((there) => (there ? link("live") : failed({ status: noKey() ? 401 : 0, message: noKey() })));
