// What the stages made of the newest frame of a window, under its picture. It is
// fetched while it is open, from the same record that debugging files hold.
"use strict";

function makePipeline(id) {
  const d = el("details", "pipeline"), s = el("summary", "", "What became of it");
  const facts = el("dl"), steps = el("ol"), mask = el("img");
  mask.hidden = true;
  add(d, s, facts, steps, mask);
  d.addEventListener("toggle", () => { if (d.open) fetchPipeline(d, id); });
  return d;
}

// refreshPipelines looks again, at all that are open or at those of one window:
// verdicts go on coming for seconds after their frame.
function refreshPipelines(id) {
  for (const d of document.querySelectorAll(".pipeline[open]")) {
    const of = d.parentElement.dataset.key;
    if (id === undefined || of === id) fetchPipeline(d, of);
  }
}

async function fetchPipeline(d, id) {
  if (d.busy) return;
  d.busy = true;
  try {
    const r = await request(`/pipeline?window=${encodeURIComponent(id)}`);
    const p = r.ok ? await r.json() : null;
    if (p) drawPipeline(d, id, p);
    else clearPipeline(d, "Nothing of this window has been read.");
  } catch { /* the page says that the connection is lost */ }
  d.busy = false;
}

function clearPipeline(d, why) {
  const [, facts, steps, mask] = d.children;
  keyed(facts, why ? [["", why]] : [], (f) => f[0], makeFact, updateFact);
  keyed(steps, [], () => "", null, null);
  mask.hidden = true;
  mask.removeAttribute("src");
  delete d.dataset.mask;
}

function drawPipeline(d, id, p) {
  const [, facts, steps] = d.children;
  const name = (s) => s.replaceAll("_", " ");
  const signals = (p.signals || []).map((s) => `${name(s.signal)} ${s.score}`).join(" + ");
  const list = [
    ["score", p.score ? `${p.score}${p.confidence ? `, ${p.confidence}` : ""}` : "none"],
    ["signals", signals],
    ["cursor", p.cursor],
    ["new", p.delta.join("\n") || "nothing"],
    ["burst", (p.burst || []).map((b) =>
      `${b.delay_ms} ms: ${b.failed ? "not read" : plural(b.characters, "character")}`).join("\n")],
    ["not read", (p.unread || []).join("\n")],
    ["stopped at", p.drop_stage],
    ["trace", p.trace],
  ];
  keyed(facts, list.filter((f) => f[1]), (f) => f[0], makeFact, updateFact);
  keyed(steps, (p.verdicts || []).map((v, i) => ({ ...v, i })), (v) => `${p.trace} ${v.i}`, makeStep, () => {});
  const stamp = `${p.trace} ${p.at}`;
  if (d.dataset.mask === stamp) return;
  d.dataset.mask = stamp;
  drawMask(d, id, stamp);
}

// drawMask shows the picture that belongs to a record, unless another one, or
// none, is wanted by the time it has come.
async function drawMask(d, id, stamp) {
  try {
    const img = await fetchPicture(`/masked?window=${encodeURIComponent(id)}`,
      `What is incoming in the newest frame of ${id}`);
    if (d.dataset.mask === stamp) d.replaceChild(img, d.lastChild);
  } catch {
    if (d.dataset.mask === stamp) delete d.dataset.mask; // the next look tries again
  }
}

function makeFact([k]) {
  const row = el("div");
  add(row, el("dt", "", k), el("dd"));
  return row;
}

function updateFact(row, [, v]) { words(row.lastChild, v); }

function makeStep(v) {
  const li = el("li", v.outcome), at = new Date(v.at);
  const millis = String(at.getMilliseconds()).padStart(3, "0");
  const time = el("time", "", `${clock(v.at).slice(-5)}:${pad(at.getSeconds())}.${millis}`);
  time.dateTime = v.at;
  const what = el("span", "what");
  words(what, v.what || (v.detail && v.detail.rule) || "");
  add(li, time, el("b", "", v.stage), el("span", "chip", v.outcome), what);
  return li;
}

setInterval(() => refreshPipelines(), 2000);
