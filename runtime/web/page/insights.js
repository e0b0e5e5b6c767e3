// The page of what interviews have in common: each project's cards, what was said, and how
// the cards grew.
"use strict";

const every = 10_000; // ms between two looks
const levels = { H: "sure", M: "likely", L: "a first sign" };

const day = (at) => new Date(at).toLocaleDateString(undefined, { dateStyle: "medium" });
const many = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;

function quote(q) {
  return make("li", {}, make("blockquote", {}, foreign(q.text)), make("time", { datetime: q.at }, day(q.at)));
}

// grown draws how sure a card was after each interview.
function grown(points) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
  const at = (n) => (points.length === 1 ? 100 : (100 * n) / (points.length - 1));
  const marks = points.map((p, n) => `${at(n)},${30 - 28 * p.confidence}`);
  if (points.length === 1) marks.unshift("0,30");
  set(line, "points", marks.join(" "));
  set(svg, "viewBox", "0 0 100 32");
  set(svg, "preserveAspectRatio", "none");
  set(svg, "aria-hidden", "true");
  add(svg, line);
  return svg;
}

function card(c) {
  return make("li", { class: "card", "data-card": c.id },
    make("h3", {}, make("span", { class: `level ${c.level}`, title: levels[c.level] }, c.level), foreign(c.theme)),
    make("p", { class: "meta" }, c.keyword_only ? "keyword" : `severity ${c.severity} of 5`,
      make("span", {}, many(c.frequency, "interview")), make("span", {}, many(c.message_frequency, "message")),
      make("span", {}, `${Math.round(c.confidence * 100)} % sure`)),
    c.summary ? make("p", {}, foreign(c.summary)) : "",
    c.jtbd ? make("p", { class: "jtbd" }, "They want: ", foreign(c.jtbd)) : "",
    make("ul", { class: "quotes", "aria-label": "What was said" }, ...c.quotes.map(quote)),
    make("details", {}, make("summary", {}, "How it grew"), grown(c.growth),
      make("ol", {}, ...c.growth.map((p) => make("li", {}, make("time", { datetime: p.at }, day(p.at)),
        `: ${p.level}, ${Math.round(p.confidence * 100)} %, `,
        `${many(p.frequency, "interview")}, ${many(p.quotes, "quote")}`)))));
}

function project(p, n) {
  const left = p.finished - p.analysed;
  return make("section", { "aria-labelledby": `h-project-${n}`, "data-project": p.project },
    make("h2", { id: `h-project-${n}` }, foreign(p.name)), make("p", { class: "goal" }, foreign(p.goal)),
    make("p", { class: "meta" }, `${many(p.finished, "interview")} over${left > 0 ? `, ${left} being analysed` : ""}${
      p.closed ? " · closed" : ""}`),
    p.cards.length ? make("ul", { class: "cards" }, ...p.cards.map(card))
      : make("p", { class: "empty" }, "No cards yet."));
}

let drawn = "";

async function look() {
  const { projects } = await ask("/v1/insights");
  link("live");
  const now = JSON.stringify(projects);
  if (now === drawn) return; // what is unfolded stays
  const open = new Set([...document.querySelectorAll("details[open]")].map((d) =>
    d.closest("[data-card]").dataset.card));
  drawn = now;
  fill(el("projects"), ...(projects.length ? projects.map(project)
    : [make("p", { class: "empty" }, "No projects of interviews.")]));
  for (const d of document.querySelectorAll("details")) d.open = open.has(d.closest("[data-card]").dataset.card);
}

(async () => {
  for (;;) {
    try {
      await look();
    } catch (err) {
      link(err.status === 401 || err.status === 403 ? "locked" : "reconnecting");
      if (err.status) {
        say("token", err.message || "Open the address that kehai page prints.", "bad");
        return;
      }
    }
    await new Promise((done) => { setTimeout(done, every); });
  }
})();
