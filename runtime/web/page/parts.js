// What the pages beside the live page are made of.
"use strict";

const el = (id) => document.getElementById(id);

// make builds an element. Texts become text nodes: nothing that was written is markup.
function make(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") e.addEventListener(name, value);
    else if (value === true) set(e, name, "");
    else if (value !== false && value !== undefined && value !== "") set(e, name, value);
  }
  add(e, ...children.filter((c) => c !== "" && c !== undefined));
  return e;
}

const foreign = (text) => make("bdi", { dir: "auto" }, text);

async function ask(path, init = {}) {
  const r = await request(path, init), text = await r.text();
  if (r.ok) return JSON.parse(text);
  let why = { error: text }; // what refuses a key speaks to people
  try { why = JSON.parse(text); } catch { /* it does */ }
  throw Object.assign(new Error(why.error), { code: why.code, status: r.status });
}

const post = (path, body, headers = {}) => ask(path, { method: "POST", body: JSON.stringify(body), headers });

function link(state) {
  el("link").className = `link ${state === "live" ? "live" : "lost"}`;
  put(el("link"), state);
}

// say shows a notice; the same one replaces itself.
function say(key, text, kind = "warn") {
  el("banner").querySelector(`[data-key="${key}"]`)?.remove();
  if (text) add(el("banner"), make("p", { class: `notice ${kind}`, "data-key": key }, text));
}
