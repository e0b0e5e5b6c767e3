// The chat page. What was said is read once; a stream then tells what happens, and goes
// on behind the last event that was seen.
"use strict";

const api = (c, what = "messages") => `/v1/conversations/${encodeURIComponent(c)}/${what}`;
const talk = {
  id: "", channel: "", last: "", said: new Map(), first: 0, run: 0, finding: false, guest: false, leave: null,
  token: null, drawing: false, // what is being written, and whether the next picture of the screen draws it
};
const retry = [500, 1000, 2000, 4000, 5000]; // ms between attempts to reach Kehai
const pollFor = 10_000, pollEvery = 1000; // after sending, where no stream is open

// ---- the list of conversations

async function list() {
  const { conversations, guest } = await ask("/v1/conversations");
  talk.guest = Boolean(guest);
  document.body.classList.toggle("guest", talk.guest);
  fill(el("list"), ...(conversations || []).map((c) => make("li", {}, make("button", {
    type: "button", "aria-current": c.id === talk.id ? "true" : "", click: () => open(c.id),
  }, foreign(c.name), make("small", {}, `${c.app}${c.last_at ? ` · ${when(c.last_at)}` : ""}`)))));
}

el("begin").addEventListener("submit", async (e) => {
  e.preventDefault();
  try {
    const { conversation } = await post("/v1/conversations", { channel: "web", name: el("begin-name").value.trim() });
    e.target.reset();
    await open(conversation);
    el("text").focus();
  } catch (err) {
    say("begin", err.message, "bad");
  }
});

// ---- messages

const day = (at) => new Date(at).toLocaleDateString(undefined, { dateStyle: "medium" });
const clock = (at) => new Date(at).toLocaleTimeString(undefined,
  { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const when = (at) => (day(at) === day(Date.now()) ? clock(at) : day(at));

function bubble(m) {
  const ours = m.role === "assistant";
  const text = m.unsent ? "taken back" : m.content;
  const kind = ours ? "ours" : "theirs";
  return make("li", { class: kind, "data-id": m.id, "data-place": String(m.place), "data-day": day(m.at) },
    make("p", { class: m.unsent ? "bubble gone" : "bubble" }, foreign(text)),
    make("div", { class: "meta" },
      make("span", {}, ours ? "Kehai’s side" : foreign(m.sender || "guest")),
      make("time", { datetime: m.at }, clock(m.at)),
      m.edited ? "edited" : "", m.meta.pii_detected ? ["masked", ...(m.meta.detected_items || [])].join(" ") : "",
      talk.guest ? "" : make("button", { type: "button", "aria-expanded": "false", click: (e) => why(e.target, m.id) },
        "why")));
}

// place puts a message where it stands in the transcript, once.
function place(m) {
  const known = talk.said.get(m.id), text = JSON.stringify(m);
  if (known?.text === text) return; // what is unfolded there stays
  const now = Object.assign(bubble(m), { text }), box = el("messages"), log = el("log");
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 60;
  talk.said.set(m.id, now);
  if (known) {
    box.replaceChild(now, known);
    return;
  }
  let next = null;
  for (let li = box.lastElementChild; li; li = li.previousElementSibling) {
    if (li.dataset.place === undefined) continue;
    if (Number(li.dataset.place) <= m.place) break;
    next = li;
  }
  const before = next ? next.previousElementSibling : box.lastElementChild;
  const sameDay = before?.dataset.day === day(m.at);
  if (!sameDay) box.insertBefore(make("li", { class: "day", "data-day": day(m.at) }, day(m.at)), next);
  box.insertBefore(now, next);
  if (atEnd) log.scrollTop = log.scrollHeight;
}

async function why(button, id) {
  const li = button.closest("li"), shown = li.querySelector(".ways");
  set(button, "aria-expanded", shown ? "false" : "true");
  if (shown) {
    shown.remove();
    return;
  }
  const ways = make("div", { class: "ways" }, "…");
  add(li, ways);
  try {
    const { paths } = await ask(`/v1/why?id=${encodeURIComponent(id)}`);
    fill(ways, ...paths.flatMap((p) => [make("p", {}, foreign(p.why)),
      make("ul", {}, ...(p.steps || []).map((s) => make("li", {}, `${clock(s.at)} ${s.stage}: `, foreign(s.what))))]));
  } catch (err) {
    fill(ways, err.message);
  }
}

// read fetches what was said, and what waits.
async function read(query = "") {
  const t = await ask(`${api(talk.id)}${query}`);
  if (talk.id !== t.conversation) return null;
  for (const m of t.messages) place(m);
  draftsAre(t.drafts);
  interviewIs(t.interview);
  return t;
}

const catchUp = () => read();

async function open(id) {
  const run = ++talk.run;
  talk.leave?.abort();
  Object.assign(talk, { id, last: "", finding: false });
  talk.said.clear();
  fill(el("messages"));
  fill(el("banner"));
  el("find").reset();
  put(el("found"), "");
  show(null);
  remember("talk", id);
  let t;
  for (let n = 0; ; n++) {
    try {
      t = await catchUp();
      break;
    } catch (err) {
      if (run !== talk.run) return;
      if (err.status === 404) { remember("talk", ""); say("open", err.message, "bad"); return; }
      if (err.status === 401) { locked(); return; }
      link("reconnecting");
      await pause(n);
    }
  }
  if (!t || run !== talk.run) return;
  put(el("called"), t.called || t.conversation);
  talk.channel = t.channel || "";
  el("open-note").hidden = true;
  el("find").hidden = talk.guest;
  el("compose").hidden = !talk.channel;
  el("window-note").hidden = Boolean(talk.channel);
  el("older").hidden = !t.more;
  el("log").scrollTop = el("log").scrollHeight;
  talk.last = String(t.last_event_id);
  restore();
  list().catch(reportError);
  follow(run);
}

el("older").addEventListener("click", async () => {
  const first = Math.min(...[...talk.said.values()].map((li) => Number(li.dataset.place)));
  const t = await read(`?before=${first}`);
  el("older").hidden = !t?.more;
});

// ---- what happens

const pause = (n) => new Promise((done) => { setTimeout(done, retry[Math.min(n, retry.length - 1)]); });

function locked() {
  link("locked");
  say("token", noKey() || oldKey, "bad");
}

// follow keeps a stream open. As the last resort, once Kehai answers and no stream can be
// had, the page is loaded anew; not more often than once a minute, and from nobody but Kehai.
async function follow(run) {
  talk.leave = new AbortController();
  const { signal } = talk.leave;
  for (let failed = 0; run === talk.run; failed++) {
    try {
      const headers = { Accept: "text/event-stream", "Last-Event-ID": talk.last };
      const r = await request(api(talk.id), { headers, signal });
      if (!r.ok) throw Object.assign(new Error(), { status: r.status });
      link("live");
      failed = 0;
      await readEvents(r, (name, data, id) => { if (run === talk.run) happened(name, data, id); });
    } catch (err) {
      if (run === talk.run && err.status === 401) {
        locked();
        return;
      }
    }
    if (run !== talk.run) return;
    link("reconnecting");
    show(null);
    if (failed > 20 && Date.now() - Number(remembered("reloaded") || 0) > 60_000 && await answers()) {
      remember("reloaded", String(Date.now()));
      location.reload();
      return;
    }
    await pause(failed);
  }
}

function happened(name, data, id) {
  switch (name) {
    case "message":
      if (data.role === "assistant") gone(data.id);
      if (!talk.finding) place(data);
      break;
    case "token":
      show(data.done && !data.content ? null : data);
      break;
    case "pii":
      say("pii", `Private data was replaced by labels: ${data.detected_items.join(", ")}.`);
      break;
    case "state":
      if (data.interview) interviewIs(data.interview);
      else read(data.changed ? "" : "?limit=1").catch(reportError);
      if (data.state && data.state !== "sending") gone(data.reply);
      break;
    case "done":
      gone(data.reply);
      dispatchEvent(new CustomEvent("chat:response-complete", { detail: data }));
      break;
    case "anew": // what the page shows is of a log that is gone
      open(talk.id).catch(reportError);
      return;
    case "error":
      say("error", data.error, "bad");
      break;
  }
  if (id) talk.last = id;
}

// show draws what is being written, at most once for each picture of the screen; null is nothing.
function show(token) {
  talk.token = token;
  if (talk.drawing) return;
  talk.drawing = true;
  requestAnimationFrame(() => {
    talk.drawing = false;
    const content = talk.token?.content || "", box = el("writing");
    if (box.hidden !== !content) box.hidden = !content;
    put(box.firstElementChild, content);
    mayStop(Boolean(talk.token) && !talk.token.done && !talk.guest);
  });
}

// gone takes away what is shown of a reply. One that has another form of id has no turn of its own.
function gone(id = "") {
  const turn = /\/(\d+)\.\d+$/.exec(id)?.[1];
  if (!turn || !talk.token || Number(turn) === talk.token.turn) show(null);
}

// mayStop offers to stop what is being written. Whoever stands on the button goes on in the composer.
function mayStop(may) {
  const halt = el("halt");
  put(el("doing"), may ? "A reply is being written." : "");
  if (halt.hidden === !may) return;
  const here = document.activeElement === halt;
  halt.hidden = !may;
  if (may) say("stop", "");
  if (here) el("text").focus();
}

el("halt").addEventListener("click", async () => {
  if (!talk.token || el("halt").dataset.busy) return;
  const id = `${talk.id}/${talk.token.turn}.${talk.token.epoch}`;
  el("halt").dataset.busy = "1";
  try {
    await post(api(talk.id, "drafts"), { id, do: "reject" });
    say("stop", "");
  } catch (err) {
    say("stop", err.status === 404 || err.status === 409 ? "This reply is written already." : err.message, "bad");
  }
  delete el("halt").dataset.busy;
});

const phases = {
  intro: "beginning", enumerate: "collecting", recommend: "weighing", choose: "choosing", deepening: "going deeper",
  summary_check: "summing up", done: "over", fallback: "fixed questions",
};

function interviewIs(i) {
  el("progress").hidden = !i;
  if (!i) return;
  const over = i.state === "done", fixed = i.fallback_mode && !over;
  put(el("phase"), `Interview: ${phases[i.state] || i.state}`);
  el("turns").max = fixed ? Math.max(3, i.asked) : i.max_turns;
  el("turns").value = over ? el("turns").max : fixed ? i.asked : i.turns;
  fill(el("items"), ...(i.items || []).flatMap((t, n) => [n ? " · " : "", foreign(t)]));
  say("over", over ? "This interview is over." : "", "warn");
  el("compose").querySelectorAll("button, textarea").forEach((e) => { e.disabled = over; });
}

// ---- drafts

function draftsAre(drafts) {
  const now = JSON.stringify(drafts);
  if (el("drafts").dataset.now === now) return; // what is being edited there stays
  el("drafts").dataset.now = now;
  fill(el("drafts"), ...drafts.map(draft));
}

function draft(d) {
  const text = make("textarea", { rows: "3", "aria-label": "Text of the reply", dir: "auto" }, d.text);
  const look = (what) => what === "approve" ? "main" : "";
  const act = (what, label) => make("button", { type: "button", class: look(what), click: async () => {
    try {
      await post(api(talk.id, "drafts"), what === "edit" ? { id: d.id, do: what, text: text.value }
        : { id: d.id, do: what });
      say("draft", "");
    } catch (err) {
      say("draft", err.message, "bad");
    }
    read("?limit=1").catch(reportError);
  } }, label);
  const approve = act("approve", "Send"); // what is sent is what was kept, not what stands in the field
  text.addEventListener("input", () => { approve.disabled = text.value !== text.defaultValue; });
  const sure = d.judged === "model" ? `${Math.round(d.confidence * 100)} % sure` : "by rule";
  const answers = (d.answers || []).map((a) => make("p", { class: "meta" }, "answers ",
    foreign(a.unsent ? "a message that was taken back" : a.text || "a message that is not kept any more"),
    a.edited && !a.unsent ? " (edited)" : ""));
  return make("div", { class: "draft", "data-draft": d.id },
    make("div", { class: "meta" }, `${d.state === "draft" ? "waits for you" : d.state} · ${d.rule || "—"} · ${sure} · ${
      d.model || "a fixed text"}`),
    ...answers,
    text, make("div", { class: "acts" }, approve, act("edit", "Keep the change"), act("hold", "Hold"),
      act("reject", "Give up")));
}

// ---- search

el("find-text").addEventListener("input", async () => {
  const q = el("find-text").value.trim();
  const was = talk.finding;
  talk.finding = q !== "";
  if (!talk.finding && !was) return;
  const t = await ask(`${api(talk.id)}${q ? `?q=${encodeURIComponent(q)}` : ""}`);
  if (el("find-text").value.trim() !== q || t.conversation !== talk.id) return;
  talk.said.clear();
  fill(el("messages"));
  t.messages.forEach(place);
  el("older").hidden = q !== "" || !t.more;
  put(el("found"), q ? `${t.messages.length}${t.more ? "+" : ""} found` : "");
});
el("find").addEventListener("submit", (e) => e.preventDefault());
el("find-text").addEventListener("keydown", (e) => {
  if (e.key !== "Escape") return;
  el("find-text").value = "";
  el("find-text").dispatchEvent(new Event("input"));
});

// ---- writing

// What was not sent yet stays in this tab with its key, so that it is sent once, whatever
// happens to the page or to Kehai.
const unsent = () => JSON.parse(remembered(`unsent ${talk.id}`) || "null");

function restore() {
  const left = unsent();
  el("text").value = left?.text || "";
  if (left?.key) send(left);
}

el("text").addEventListener("input", () => {
  remember(`unsent ${talk.id}`, JSON.stringify({ text: el("text").value }));
});
el("text").addEventListener("keydown", (e) => {
  if (e.key !== "Enter" || e.shiftKey || e.isComposing) return;
  e.preventDefault();
  el("compose").requestSubmit();
});
el("compose").addEventListener("submit", (e) => {
  e.preventDefault();
  const text = el("text").value;
  if (text.trim() === "" || el("compose").dataset.busy) return;
  send({ text, key: unsent()?.key || crypto.randomUUID() });
});

async function send(one) {
  const run = talk.run, c = talk.id;
  remember(`unsent ${c}`, JSON.stringify(one));
  el("compose").dataset.busy = "1";
  for (let n = 0; run === talk.run; n++) {
    try {
      await post(api(c), { text: one.text }, { "Idempotency-Key": one.key });
      remember(`unsent ${c}`, "");
      if (run === talk.run) {
        el("compose").reset();
        say("send", "");
        pollForAssistantResponse(run);
      }
      break;
    } catch (err) {
      if (run !== talk.run) break;
      if (err.status && err.status < 500) {
        remember(`unsent ${c}`, JSON.stringify({ text: one.text }));
        say("send", err.message, "bad");
        break;
      }
      say("send", "Kehai cannot be reached: the message is kept, and sent as soon as it can be.");
      await pause(n);
    }
  }
  if (run === talk.run) delete el("compose").dataset.busy;
}

async function pollForAssistantResponse(run) {
  for (const until = Date.now() + pollFor; Date.now() < until && run === talk.run;) {
    await new Promise((done) => { setTimeout(done, pollEvery); });
    if (el("link").classList.contains("live")) return;
    await read().catch(() => {});
  }
}

(async () => {
  for (let n = 0; ; n++) {
    try {
      await list();
      break;
    } catch (err) {
      if (err.status) {
        link("locked");
        say("token", err.message || "Open the address that kehai page prints.", "bad");
        return;
      }
      link("reconnecting");
      await pause(n);
    }
  }
  link("live");
  const known = await ask("/v1/conversations").then((a) => a.conversations || [], () => []);
  const id = remembered("talk") || (known.length === 1 ? known[0].id : "");
  if (id) open(id);
})();
