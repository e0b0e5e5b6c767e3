// How the page talks to Kehai. The fragment of the address that Kehai printed has a code,
// which becomes the key of this tab, once. A browser sends no fragment to anybody, and it
// keeps what the page stores for this host and port alone, unlike a cookie. Each request
// carries the key in a header.
"use strict";

// remember keeps a value for this tab, so that a reload has it. Without storage
// the page works until it is reloaded.
function remember(key, value) {
  try { sessionStorage.setItem(key, value); } catch { /* the browser stores nothing */ }
}

function remembered(key) {
  try { return sessionStorage.getItem(key) || ""; } catch { return ""; }
}

let token = ""; // the key
let noEntry = ""; // why there is none

const offered = (hash) => {
  const values = new URLSearchParams(hash.slice(1));
  return { code: values.get("c") || "", key: values.get("t") || "" };
};

// enter has a key for this tab, or why not. What stands in the address, which people copy
// and others see, goes at once.
async function enter() {
  const { code, key } = offered(location.hash);
  if (code || key) history.replaceState(null, "", location.pathname);
  if (key) remember("token", key);
  token = key || remembered("token");
  if (!code) return;
  try {
    const r = await fetch("/enter", {
      method: "POST", cache: "no-store", credentials: "omit", headers: { Authorization: `Code ${code}` },
    });
    if (r.ok) {
      token = (await r.json()).key;
      remember("token", token);
    } else {
      noEntry = await r.text();
    }
  } catch {
    noEntry = "Kehai does not answer at this address. Once it runs, kehai page prints another one.";
  }
}

const entered = enter();

// A new address in the same tab changes the fragment only: nothing is loaded.
addEventListener("hashchange", () => {
  const { code, key } = offered(location.hash);
  if (code || key) location.reload();
});

async function request(path, init = {}) {
  await entered;
  if (!token && noEntry) return new Response(noEntry, { status: 401 });
  const headers = { ...init.headers, Authorization: `Bearer ${token}` };
  return fetch(path, { cache: "no-store", credentials: "omit", ...init, headers });
}

// fetchPicture returns an image that is ready to be shown. It must be fetched: an
// img element sends no token.
async function fetchPicture(path, alt) {
  const r = await request(path);
  if (!r.ok) throw new Error(`picture: ${r.status}`);
  const url = URL.createObjectURL(await r.blob()), img = new Image();
  img.alt = alt;
  img.src = url;
  try {
    await img.decode();
  } finally {
    URL.revokeObjectURL(url); // the image keeps its pixels
  }
  return img;
}

// readEvents reads Server-Sent Events until they end, and hands on each one's
// name, data and id. Kehai writes each field on one line.
async function readEvents(response, take) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = "", event = {}; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line !== "") {
        const cut = line.indexOf(": ");
        event[line.slice(0, cut)] = line.slice(cut + 2);
        continue;
      }
      const { event: name, data, id } = event;
      event = {};
      try {
        take(name, JSON.parse(data), id);
      } catch (e) {
        reportError(e); // one event that cannot be drawn does not end the stream
      }
    }
  }
}
