// What the pages beside the live page are made of.
"use strict";

const el = (id) => document.getElementById(id);

// make builds an element. Texts become text nodes: nothing that was written is markup.
function make(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") e.addEventListener(name, value);
    else if (value === true) e.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== "") e.setAttribute(name, value);
  }
  e.append(...children.filter((c) => c !== "" && c !== undefined));
  return e;
}

const foreign = (text) => make("bdi", { dir: "auto" }, text);

async function ask(path, init = {}) {
  const r = await request(path, init);
  const body = await r.json();
  if (!r.ok) throw Object.assign(new Error(body.error), { code: body.code, status: r.status });
  return body;
}

const post = (path, body, headers = {}) => ask(path, { method: "POST", body: JSON.stringify(body), headers });

// setText changes a text only if it is another one.
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function link(state) {
  el("link").className = `link ${state === "live" ? "live" : "lost"}`;
  setText(el("link"), state);
}

// say shows a notice; the same one replaces itself.
function say(key, text, kind = "warn") {
  el("banner").querySelector(`[data-key="${key}"]`)?.remove();
  if (text) el("banner").append(make("p", { class: `notice ${kind}`, "data-key": key }, text));
}
