// The camera page: MediaPipe's Face Mesh finds a face in the pictures of the camera, here
// in the browser, and Kehai gets its points. No picture leaves the page.
"use strict";

const PACE = 33; // milliseconds from one picture to the next, at best
const FLUSH = 400; // milliseconds between two requests
const MOST = 90; // lines that wait at most, if Kehai does not answer
const session = Array.from(crypto.getRandomValues(new Uint8Array(6)), (b) => b.toString(16).padStart(2, "0")).join("");
const video = el("video"), drawing = el("points");
const tracker = { stream: null, mesh: null, lines: [], taken: 0, at: 0, times: [] };

// load runs a script of the tracker.
function load(name) {
  return new Promise((done, failed) => {
    const script = make("script", { src: `/tracker/${name}` });
    script.onload = done;
    script.onerror = () =>
      failed(new Error("The face tracker is not installed: run kehai focus camera, which says how."));
    document.head.appendChild(script);
  });
}

async function ready() {
  if (!window.FaceMesh) await load("face_mesh.js");
  const mesh = new FaceMesh({ locateFile: (name) => `/tracker/${name}` });
  // Its thresholds are 0.5; to set one breaks the graph of this version.
  mesh.setOptions({ maxNumFaces: 1, refineLandmarks: true });
  mesh.onResults(took);
  return mesh;
}

// why says in words what the browser refused.
const why = (e) => ({
  NotAllowedError: "The browser was not allowed to use the camera: allow it beside the address, and start again.",
  NotFoundError: "There is no camera.",
  NotReadableError: "Another program has the camera: close it, and start again.",
})[e.name] || e.message;

async function start() {
  el("start").disabled = true;
  say("camera", "The face tracker starts …", "good");
  try {
    tracker.stream = await navigator.mediaDevices.getUserMedia({
      audio: false, video: { width: { ideal: 640 }, height: { ideal: 480 }, frameRate: { ideal: 30 } },
    });
    video.srcObject = tracker.stream;
    await video.play();
    el("seen").hidden = false;
    tracker.mesh ||= await ready();
    say("camera", "");
    el("stop").hidden = false;
    look();
  } catch (e) {
    halt();
    say("camera", why(e), "bad");
  }
}

function halt() {
  tracker.stream?.getTracks().forEach((t) => t.stop());
  tracker.stream = video.srcObject = null;
  tracker.lines = [];
  el("seen").hidden = el("stop").hidden = true;
  el("start").disabled = false;
  for (const id of ["face", "rate"]) put(el(id), "–");
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// look shows one picture after the other to the tracker, until the camera stops.
async function look() {
  const { stream } = tracker;
  try {
    while (tracker.stream === stream && stream.active) {
      tracker.at = performance.now();
      if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) await tracker.mesh.send({ image: video });
      await pause(Math.max(0, tracker.at + PACE - performance.now()));
    }
    if (tracker.stream === stream) throw new Error("The camera has stopped.");
  } catch (e) {
    if (tracker.stream !== stream) return;
    halt();
    say("camera", why(e), "bad");
  }
}

const short = (v) => Math.round(v * 1e5) / 1e5;

// took takes what the tracker found in the picture that it was shown last.
function took({ multiFaceLandmarks: faces }) {
  if (!tracker.stream) return;
  const points = faces?.length ? faces[0].map((p) => [short(p.x), short(p.y)]) : null;
  tracker.lines.push(JSON.stringify({
    at_ms: Math.round(tracker.at * 10) / 10, width: video.videoWidth, height: video.videoHeight, points,
  }));
  if (tracker.lines.length > MOST) tracker.lines.shift();
  tracker.times = [...tracker.times.filter((t) => t > tracker.at - 2000), tracker.at];
  put(el("face"), points ? `${points.length} points` : "none");
  put(el("rate"), String(Math.round(tracker.times.length / 2)));
  draw(points);
}

function draw(points) {
  drawing.width = video.videoWidth;
  drawing.height = video.videoHeight;
  const on = drawing.getContext("2d");
  on.fillStyle = getComputedStyle(drawing).color;
  for (const [x, y] of points || []) on.fillRect(x * drawing.width - 1, y * drawing.height - 1, 2, 2);
}

// tell sends what was found, one request after the other.
async function tell() {
  for (;;) {
    await pause(FLUSH);
    const lines = tracker.lines.splice(0);
    if (!lines.length) continue;
    try {
      const r = await request(`/faces?session=${session}`, { method: "POST", body: lines.join("\n") });
      const text = await r.text(), { taken = 0, errors = [] } = r.headers.get("Content-Type").includes("json")
        ? JSON.parse(text) : {};
      tracker.taken += taken;
      put(el("taken"), String(tracker.taken));
      say("feed", r.ok ? "" : errors[0]?.error || text, "bad");
    } catch {
      say("feed", "Kehai does not answer.", "bad");
    }
  }
}

// follow shows what Kehai makes of it.
async function follow() {
  for (;; await pause(3000)) {
    try {
      const r = await request("/events");
      if (!r.ok) throw new Error(await r.text());
      link("live");
      await readEvents(r, (name, data) => {
        if (name === "attention" && data) {
          put(el("state"), `${data.state || "unknown"}: ${data.raw?.reasoning || data.reasoning || ""}`);
        }
      });
    } catch (e) {
      link(noKey() ? "locked" : "not connected");
      say("link", e.message, "bad");
      if (!noKey()) continue;
      halt();
      return;
    }
    say("link", "");
  }
}

el("start").addEventListener("click", start);
el("stop").addEventListener("click", halt);
tell();
follow();
