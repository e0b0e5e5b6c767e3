// How the page talks to Kehai. The fragment of the address that Kehai printed has a code,
// which becomes the key of this tab, once. A browser sends no fragment to anybody, and it
// keeps what the page stores for this host and port alone, unlike a cookie. When Kehai stops,
// any program on this machine can take its port: so each request carries the key sealed in a
// header, and only once what answers has proved that it knows the key.
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

// ---- the proof

const unproved = "What answers at this address did not prove that it is the Kehai which gave this page its key. " +
  "Another program may have taken the port of a Kehai that has stopped; or the key was taken back, or is over. " +
  "The page has not given it the key, has forgotten it, and asks no more. Do not load this page again: " +
  "close it, run kehai page, and open the address that it prints.";
const oldKey = "The key of this page is not, or no longer, one of the Kehai that runs. " +
  "Run kehai page, and open the address that it prints.";
const unable = "This browser cannot check that it is Kehai which answers (it lacks crypto.subtle), so the page has " +
  "sent no key. Run kehai page, and open the address that it prints, as it stands, in a newer browser.";
const patience = 10_000; // ms for a proof

let sure = false; // it was proved, and nothing has failed or ended since
let streams = 0; // that are open: while one is, nobody else has the port
let kehai = ""; // where the Kehai listens that proved itself first
let sealed = ""; // the key, for that process of it
let proving = null; // the question under way

const hex = (raw) => Array.from(new Uint8Array(raw), (b) => b.toString(16).padStart(2, "0")).join("");
const bytes = (text) => new TextEncoder().encode(text);
const doubt = () => { sure = false; };

// shut gives the key up, also what the tab keeps of it: whoever has the port could put a page of
// their own at this address, which would read it there. Only another address opens the page again.
function shut(why) {
  token = "";
  noEntry = why;
  remember("token", "");
}

// noKey says why the page has no key to send, "" if it has one.
const noKey = () => (token ? "" : noEntry);

// question asks for a proof, without the key, and seals the key for who gave it. It fails if nothing
// answers, which can be tried again; any other answer than the proof shuts the page.
async function question() {
  if (!globalThis.crypto?.subtle) return shut(unable);
  const hash = hex(await crypto.subtle.digest("SHA-256", bytes(`kehai page\0${token}`)));
  const id = `k-${hash.slice(0, 8)}`, nonce = hex(crypto.getRandomValues(new Uint8Array(32)));
  const r = await fetch(`/proof?${new URLSearchParams({ key: id, nonce })}`, {
    cache: "no-store", credentials: "omit", redirect: "manual", signal: AbortSignal.timeout(patience),
  });
  const text = await r.text();
  let answer = {};
  try { answer = JSON.parse(text) || {}; } catch { /* it is none */ }
  const { listens, salt, proof } = answer;
  const key = await crypto.subtle.importKey("raw", bytes(hash), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const sign = async (label, ...more) => new Uint8Array(await crypto.subtle.sign("HMAC", key,
    bytes([label, location.origin, listens, salt, nonce, ...more].join("\0"))));
  if (!r.ok || !listens || proof !== hex(await sign("kehai proof")) || (kehai && listens !== kehai)) {
    return shut(kehai ? unproved : oldKey); // the page itself has just come from what answers first
  }
  const secret = bytes(token);
  for (let at = 0; at < secret.length; at += 32) {
    const block = await sign("kehai seal", at);
    for (let i = at; i < Math.min(at + 32, secret.length); i++) secret[i] ^= block[i - at];
  }
  sealed = `${id}.${nonce}.${hex(secret)}`;
  kehai = listens;
  sure = true;
}

const prove = () => (proving ||= question().finally(() => { proving = null; }));

// answers reports whether Kehai is there, and it is that one. A page that asks for nothing when it
// is loaded asks this, and knows later whether it is still the same.
const answers = () => entered.then(() => token && prove()).then(() => !noKey(), () => false);

// request is the only way in which the page says who it is, and anything else. The key itself is
// never sent: a browser may send a request again, when the connection breaks, to another program.
async function request(path, init = {}) {
  await entered;
  if (token && !(sure && streams)) await prove();
  if (noKey()) return new Response(noKey(), { status: 401 });
  init.signal?.addEventListener("abort", doubt);
  const headers = token ? { ...init.headers, Authorization: `Sealed ${sealed}` } : init.headers;
  try {
    return await fetch(path, { cache: "no-store", credentials: "omit", redirect: "error", ...init, headers });
  } catch (err) {
    doubt();
    throw err;
  }
}

// fetchPicture returns an image that is ready to be shown. It must be fetched: an
// img element sends no token.
async function fetchPicture(path, alt) {
  const r = await request(path);
  if (!r.ok) throw new Error(`picture: ${r.status}`);
  const url = URL.createObjectURL(await r.blob()), img = new Image();
  set(img, "alt", alt);
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
  streams++;
  try {
    await readLines(response.body.pipeThrough(new TextDecoderStream()).getReader(), take);
  } finally {
    streams--;
    doubt();
  }
}

async function readLines(reader, take) {
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
