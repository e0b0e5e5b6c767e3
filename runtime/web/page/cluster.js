// The machines of a cluster as a picture: who decides stands above, the others below. A ring is a
// voter, a dashed one a follower, a square a witness; who is away is grey. The table beneath says
// the same in words.
"use strict";

function shape(tag, attributes, text) {
  const e = document.createElementNS(SVG, tag);
  for (const [k, v] of Object.entries(attributes)) set(e, k, v);
  if (text !== undefined) put(e, text);
  return e;
}

function drawCluster(c) {
  $("cluster").hidden = !c;
  if (!c) return;
  put($("cluster-id"), c.cluster);
  put($("cluster-said"), c.leader ? `led by ${c.leader}` : "no majority: nothing is sent");
  cls($("cluster-said"), c.leader && c.ready ? "pill good" : "pill bad");
  const svg = $("cluster-picture"), below = c.members.filter((m) => m.node !== c.leader);
  const row = Math.max(2, Math.min(below.length, Math.floor(svg.parentElement.clientWidth / 170))), wide = row * 170;
  const top = c.leader ? 150 : 34, high = top + 114 * Math.max(0, Math.ceil(below.length / row) - 1) + 68;
  const places = new Map(below.map((m, i) => {
    const of = Math.min(row, below.length - (i - (i % row))); // in its row
    return [m.node, { x: (((i % row) + .5) * wide) / of, y: top + 114 * Math.floor(i / row) }];
  }));
  if (c.leader) places.set(c.leader, { x: wide / 2, y: 34 });
  set(svg, "viewBox", `0 0 ${wide} ${below.length ? high : 68}`);
  svg.style.maxWidth = `${wide}px`;
  const members = c.members.filter((m) => places.has(m.node));
  keyed(svg.children[0], c.leader ? below : [], (m) => m.node, () => shape("line", {}),
    (line, m) => updateWire(line, m, c, places));
  keyed(svg.children[1], members, (m) => m.node, makeMachine, (g, m) => updateMachine(g, m, c, places.get(m.node)));
  const led = c.leader ? `led by ${c.leader}` : "without a majority";
  set(svg, "aria-label", `${plural(c.members.length, "machine")}, ${led}`);
  keyed($("cluster-table"), c.members, (m) => m.node, makeMember, (tr, m) => updateMember(tr, m, c));
}

// updateWire draws the line from the one who decides to another.
function updateWire(line, m, c, places) {
  const from = places.get(c.leader), to = places.get(m.node);
  cls(line, m.up ? "wire" : "wire away");
  for (const [k, v] of [["x1", from.x], ["y1", from.y + 26], ["x2", to.x], ["y2", to.y - 26]]) set(line, k, v);
}

function makeMachine(m) {
  const g = shape("g", {}), mark = m.role === "witness"
    ? shape("rect", { x: -22, y: -22, width: 44, height: 44, rx: 6 }) : shape("circle", { r: 24 });
  add(g, mark, shape("text", { class: "count", y: 5, "text-anchor": "middle" }), shape("text", { class: "name" }),
    shape("text", { class: "more" }));
  return g;
}

function updateMachine(g, m, c, at) {
  cls(g, ["machine", m.role, m.up ? "" : "away", m.node === c.leader ? "leads" : ""].filter(Boolean).join(" "));
  set(g, "transform", `translate(${at.x} ${at.y})`);
  const beside = m.node === c.leader; // its lines go down
  [[g.children[2], beside ? -3 : 43], [g.children[3], beside ? 15 : 60]].forEach(([text, y]) => {
    const place = [["x", beside ? 34 : 0], ["y", y], ["text-anchor", beside ? "start" : "middle"]];
    for (const [k, v] of place) set(text, k, v);
  });
  put(g.children[1], m.role === "witness" ? "" : m.owns);
  put(g.children[2], m.node);
  const behind = m.lag ? `, ${m.lag.toLocaleString("en")} behind` : "";
  put(g.children[3], m.up ? `${m.role}${m.node === c.node ? ", this one" : behind}`
    : `away${m.contact ? `, ${ago(m.contact)}` : ""}`);
}

function makeMember(m) {
  const tr = el("tr");
  add(tr, el("td", "", m.node), ...Array.from({ length: 5 }, () => el("td")));
  return tr;
}

function updateMember(tr, m, c) {
  const contact = m.node === c.node ? "this machine" : m.contact ? ago(m.contact) : "never";
  [m.role, m.up ? "yes" : "no", m.owns, m.lag, contact].forEach((text, i) => put(tr.children[i + 1], text));
}
