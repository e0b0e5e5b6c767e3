// The timeline: one row a day, midnight to midnight on the wall. A pixel shows
// the state that held longest in its time. Where the clock is set back the hour
// that comes twice is cut in half, first time above; where it is set forward
// the missing hour is empty.
"use strict";

function makeLegend() {
  for (const s of SUMMED) {
    const li = el("li");
    add(li, el("i", `swatch ${s}`), el("span", "", STATES[s].name));
    add($("attention-legend"), li);
  }
}

function makeRows() {
  const box = $("days");
  const axis = el("div", "axis");
  set(axis, "aria-hidden", "true");
  for (let h = 0; h <= 24; h += 3) {
    const tick = el("span", h % 6 ? "fine" : "", `${h}:00`);
    tick.style.left = `${(100 * h) / 24}%`;
    add(axis, tick);
  }
  add(box, axis);
  for (let i = 0; i < DAYS; i++) {
    const row = el("div", i ? "day" : "day today"), name = el("span", "label"), canvas = el("canvas");
    canvas.tabIndex = 0;
    set(canvas, "role", "img");
    canvas.dataset.back = i;
    set(name, "aria-hidden", "true");
    add(row, name, canvas);
    add(box, row);
    canvas.addEventListener("pointermove", (e) =>
      pointAt(canvas, e.offsetX / canvas.clientWidth, e.offsetY / canvas.clientHeight));
    canvas.addEventListener("pointerleave", hideSpan);
    canvas.addEventListener("blur", hideSpan);
    canvas.addEventListener("keydown", (e) => walk(e, canvas));
  }
  add(box, el("div", "marker"));
}

// columnsOf finds for each pixel of a piece of a day the state that held longest
// in it, and joins equal neighbours.
function columnsOf(spans, piece, width, until) {
  const runs = [], end = Math.min(piece.to, until), at = (x) => piece.from + (x * DAY) / width - piece.wall;
  const pixel = (t) => Math.round(((piece.wall + t - piece.from) / DAY) * width), first = pixel(piece.from),
    last = Math.max(pixel(end), end > piece.from ? first + 1 : 0);
  let i = 0;
  for (let x = first; x < last; x++) {
    const from = Math.max(piece.from, at(x)), to = Math.min(end, at(x + 1)), held = {};
    while (i < spans.length && spans[i].to <= from) i++;
    let best = "";
    for (let k = i; k < spans.length && spans[k].from < to; k++) {
      const s = spans[k];
      held[s.state] = (held[s.state] || 0) + Math.min(s.to, to) - Math.max(s.from, from);
      if (!best || held[s.state] > held[best]) best = s.state;
    }
    const run = runs[runs.length - 1];
    if (!best) continue;
    if (run && run.state === best && run.to === x) run.to = x + 1; else runs.push({ from: x, to: x + 1, state: best });
  }
  return runs;
}

const css = (name) => getComputedStyle($("attention")).getPropertyValue(name).trim();

// paint makes what a state is filled with.
function paint(ctx, state, scale) {
  const colour = css(`--${state}`), kind = STATES[state].pattern;
  if (kind === "solid") return colour;
  const n = Math.round(8 * scale), tile = el("canvas"), c = tile.getContext("2d");
  tile.width = tile.height = n;
  c.fillStyle = css(`--${state}-ground`);
  c.fillRect(0, 0, n, n);
  c.fillStyle = c.strokeStyle = colour;
  c.lineWidth = 2.4 * scale;
  c.beginPath();
  const line = (x0, y0, x1, y1) => { c.moveTo(x0, y0); c.lineTo(x1, y1); };
  if (kind === "stripes" || kind === "cross") for (const d of [-n, 0, n]) line(d, n, d + n, 0);
  if (kind === "cross") {
    c.lineWidth = 1 * scale;
    for (const d of [-n, 0, n]) line(d, 0, d + n, n);
  }
  if (kind === "bars") c.fillRect(0, 0, n / 2, n);
  if (kind === "dots") {
    for (const [x, y] of [[n / 4, n / 4], [(3 * n) / 4, (3 * n) / 4]]) {
      c.moveTo(x, y);
      c.arc(x, y, 1.9 * scale, 0, 7);
    }
    c.fill();
  } else c.stroke();
  return ctx.createPattern(tile, "repeat");
}

function drawDays() {
  if (!desk.now || !desk.spans) return;
  const t = nowMs(), box = $("days"), scale = devicePixelRatio || 1;
  desk.drawn = t;
  desk.today = dayOf(t, 0).from;
  desk.rows = [];
  for (const canvas of box.querySelectorAll("canvas")) {
    const i = Number(canvas.dataset.back), day = dayOf(t, i),
      spans = between(desk.spans, day.from, Math.min(day.to, t));
    put(canvas.previousSibling, dayShort(day, i));
    desk.rows[i] = { day, spans };
    const sums = sumsOf(spans), said = SUMMED.filter((s) => sums[s]).map((s) =>
      `${STATES[s].name.toLowerCase()} ${long(sums[s])}`);
    set(canvas, "aria-label", `${dayName(day, i)}: ${said.join(", ") || "nothing known"}. Arrow keys go through it.`);
    drawDay(canvas, day, spans, t, scale);
  }
  const marker = box.querySelector(".marker");
  marker.style.setProperty("--n", (wall(t) / DAY).toFixed(5));
  set(marker, "title", `now, ${hhmm(t)}`);
}

function drawDay(canvas, day, spans, t, scale) {
  const w = Math.round(canvas.clientWidth * scale), h = Math.round(canvas.clientHeight * scale);
  if (!w || !h) return;
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  const ctx = canvas.getContext("2d"), x = (ms) => Math.round((ms / DAY) * w);
  ctx.clearRect(0, 0, w, h);
  ctx.fillStyle = css("--track");
  for (const p of day.pieces) ctx.fillRect(x(p.wall), 0, x(p.wall + p.to - p.from) - x(p.wall), h);
  const fills = {};
  day.pieces.forEach((piece, k) => {
    for (const run of columnsOf(spans, piece, w, t)) {
      fills[run.state] ??= paint(ctx, run.state, scale);
      const cuts = [run.from, run.to];
      if (day.twice) for (const c of [x(day.twice.from), x(day.twice.to)]) if (c > run.from && c < run.to) cuts.push(c);
      cuts.sort((a, b) => a - b);
      for (let c = 0; c + 1 < cuts.length; c++) {
        const half = day.twice && cuts[c] >= x(day.twice.from) && cuts[c] < x(day.twice.to);
        drawRun(ctx, run.state, fills[run.state], cuts[c], cuts[c + 1], half && k ? h / 2 : 0, half ? h / 2 : h, scale);
      }
    }
  });
  ctx.fillStyle = css("--hours");
  for (let hour = 3; hour < 24; hour += 3) ctx.fillRect(x(hour * HOUR), 0, Math.max(1, Math.round(scale / 2)), h);
}

function drawRun(ctx, state, fill, from, to, top, height, scale) {
  const s = STATES[state], high = Math.max(s.height ? 2 * scale : 0, Math.round(height * s.height));
  if (state === "unknown") { // a thin broken line: no state, but not nothing
    ctx.fillStyle = css("--unknown");
    for (let x = from; x < to; x++) {
      if (Math.floor(x / (3 * scale)) % 2 !== 0) continue;
      ctx.fillRect(x, Math.round(top + height - 2 * scale), 1, Math.max(1, Math.round(scale)));
    }
    return;
  }
  ctx.fillStyle = fill;
  ctx.fillRect(from, top + height - high, to - from, high);
}

// --- what held at a point

function pointAt(canvas, x, y) {
  const row = desk.rows && desk.rows[canvas.dataset.back];
  if (!row) return;
  const at = x * DAY, fits = row.day.pieces.filter((p) => at >= p.wall && at < p.wall + p.to - p.from);
  const piece = fits.length > 1 ? fits[y < 0.5 ? 0 : 1] : fits[0];
  const t = piece && piece.from + at - piece.wall;
  showSpan(canvas, piece && row.spans.findIndex((s) => t >= s.from && t < s.to), x);
}

// walk goes from span to span with the arrow keys.
function walk(e, canvas) {
  const row = desk.rows && desk.rows[canvas.dataset.back],
    step = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }[e.key];
  if (!row || !step || !row.spans.length) return;
  e.preventDefault();
  const was = canvas.dataset.at === undefined ? (step > 0 ? -1 : row.spans.length) : Number(canvas.dataset.at);
  const i = Math.max(0, Math.min(row.spans.length - 1, was + step)), s = row.spans[i];
  showSpan(canvas, i, wall((s.from + s.to) / 2) / DAY);
  put($("attention-said"), spanText(s));
}

const spanText = (s) => `${STATES[s.state].name}, ${hhmm(s.from)} to ${hhmm(s.to)}, ${long(s.to - s.from)}`;

function showSpan(canvas, i, x) {
  const row = desk.rows[canvas.dataset.back], s = row.spans[i], tip = $("tip");
  if (!s) { hideSpan({ target: canvas }); return; }
  canvas.dataset.at = i;
  const text = el("div", "text"), meta = el("div", "meta");
  add(text, el("i", `swatch ${s.state}`), STATES[s.state].name);
  put(meta, [`${hhmm(s.from)}–${hhmm(s.to)}`, long(s.to - s.from),
    s.sure && s.state !== "unknown" ? `${s.sure} % sure` : "",
    s.state === "unknown" || s.state === "paused" ? "" : SOURCES[s.source]].filter(Boolean).join(" · "));
  fill(tip, text, meta);
  cls(tip, "span");
  tip.hidden = false;
  const c = canvas.getBoundingClientRect(), b = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(12, Math.min(c.left + x * c.width - b.width / 2, innerWidth - b.width - 12))}px`;
  tip.style.top = `${c.top > b.height + 16 ? c.top - b.height - 8 : c.bottom + 8}px`;
}

function hideSpan(e) {
  if (e && e.target.dataset) delete e.target.dataset.at;
  if ($("tip").className === "span") $("tip").hidden = true;
}
