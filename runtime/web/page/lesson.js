// The page of kehai layout learn: a person clicks on a message of theirs and on one of somebody
// else's, and sees what Kehai would read. The key of the address is for this one lesson, and is over with it.
"use strict";

const key = location.hash.slice(1);
history.replaceState(null, "", location.pathname);

const request = (path, init = {}) => fetch(path, {
  ...init, cache: "no-store", credentials: "omit", headers: { ...init.headers, Authorization: `Bearer ${key}` },
});

const tasks = [
  "Click on a message of yours.",
  "Now click on a message of somebody else's.",
  "Kehai tries it …",
];
const colours = ["#e8590c", "#1c7ed6"]; // as in the pictures of kehai layout calibrate
const lesson = { shot: null, points: [], me: "" };
const canvas = el("picture");

function task() {
  put(el("task"), tasks[Math.min(lesson.points.length, 2)]);
}

function draw(picture) {
  const to = canvas.getContext("2d");
  canvas.width = picture.width;
  canvas.height = picture.height;
  to.drawImage(picture, 0, 0);
  lesson.points.forEach(([x, y], i) => {
    to.fillStyle = colours[i];
    to.strokeStyle = "#fff";
    to.lineWidth = 2;
    to.beginPath();
    to.arc(x, y, 7, 0, 2 * Math.PI);
    to.fill();
    to.stroke();
  });
}

const picture = async (path) => {
  const r = await request(path);
  if (!r.ok) throw new Error(await r.text());
  return createImageBitmap(await r.blob());
};

function fail(e) {
  const gone = e instanceof TypeError; // nobody answered
  say("lesson", gone ? "kehai layout learn has ended: start it again." : e.message, "bad");
}

const sides = { own: "yours", incoming: "theirs" };

// attempt tells what was pointed at, and shows what follows from it.
async function attempt() {
  put(el("task"), tasks[2]);
  el("take").disabled = true;
  try {
    const r = await post("/try", { points: lesson.points, me: lesson.me });
    if (r.found) draw(await picture("/found"));
    fill(el("texts"), ...r.texts.map((t) => make("li", { class: t.side },
      sides[t.side] || "unknown", t.sender ? " · " : "", t.sender ? foreign(t.sender) : "", ": ", foreign(t.text))));
    el("named").hidden = !r.names;
    el("take").disabled = !r.good;
    put(el("task"), r.good ? "Is this right? Then write the layout." : "This does not do.");
    say("lesson", r.said, r.good ? "good" : "bad");
  } catch (e) {
    fail(e);
  }
}

function again() {
  lesson.points = [];
  lesson.me = "";
  say("lesson", "");
  fill(el("texts"));
  el("take").disabled = true;
  el("named").hidden = true;
  draw(lesson.shot);
  task();
}

canvas.addEventListener("click", (e) => {
  if (!lesson.shot || lesson.points.length > 1 || lesson.me) return;
  const box = canvas.getBoundingClientRect();
  lesson.points.push([
    Math.floor((e.clientX - box.left) * canvas.width / box.width),
    Math.floor((e.clientY - box.top) * canvas.height / box.height),
  ]);
  draw(lesson.shot);
  task();
  if (lesson.points.length === 2) attempt();
});

el("again").addEventListener("click", again);
el("named").addEventListener("submit", (e) => {
  e.preventDefault();
  lesson.me = el("me").value.trim();
  if (lesson.me) attempt();
});
el("take").addEventListener("click", async () => {
  try {
    await post("/take", {});
    el("take").disabled = el("again").disabled = true;
    put(el("task"), "Written. You may close this page.");
    say("lesson", "");
  } catch (e) {
    fail(e);
  }
});

picture("/shot").then((shot) => {
  lesson.shot = shot;
  again();
}).catch(fail);
