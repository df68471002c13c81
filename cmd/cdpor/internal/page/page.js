"use strict";
// Draws the exploration tree and schedules of the page from the data embedded in it. Text is only ever set as text, never as HTML.
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const nodes = data.nodes, who = data.who;
const $ = id => document.getElementById(id);

// el makes an element: el("a.bad", {href: "#x"}, "text", child, ...).
function el(what, props, ...children) {
  const [tag, ...classes] = what.split(".");
  return fill(document.createElement(tag), classes, props, children);
}
function svg(what, props, ...children) {
  const [tag, ...classes] = what.split(".");
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), classes, props, children);
}
function fill(e, classes, props, children) {
  if (classes.length) e.setAttribute("class", classes.join(" "));
  for (const [k, v] of Object.entries(props || {})) {
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (v !== null && v !== undefined && v !== false) e.setAttribute(k, v);
  }
  e.append(...children.flat(Infinity).filter(c => c !== null && c !== undefined && c !== ""));
  return e;
}

// ---- words

const text = i => data.texts[i];
const proc = action => data.actions[action].proc;
const colour = p => "p" + p % 8;
const plural = (n, noun) => n + " " + noun + (n === 1 ? "" : "s");
const shorten = (s, most) => { const r = [...s]; return r.length > most ? r.slice(0, Math.max(1, most - 1)).join("") + "…" : s; };
// fold breaks a text into lines between words; only a word that is longer than a line is broken itself.
function fold(s, width) {
  const lines = [];
  for (const word of s.split(" ")) {
    const line = lines[lines.length - 1];
    if (line !== undefined && [...line].length + 1 + [...word].length <= width) lines[lines.length - 1] = line + " " + word;
    else for (let r = (line === undefined ? "" : "  ") + word; r !== "";) { // a long word ends where a name in it does
      const part = [...r].slice(0, width).join(""), names = part.length < r.length ? /^.*[\p{L}\p{N}_][^\p{L}\p{N}_]+/u.exec(part) : null;
      lines.push(names ? names[0] : part);
      r = r.slice(lines[lines.length - 1].length);
    }
  }
  return lines;
}
const choice = action => data.actions[action].choice ? ":" + data.actions[action].choice : "";
const stepOf = m => data.steps[m.s];
const stepName = m => data.processes[proc(m.a)] + data.between + stepOf(m).label + choice(m.a);
const changes = m => (m.w || []).map(w => text(w[0]) + (text(w[1]) ? ": " + text(w[1]) + " → " : " = ") + text(w[2]));
const reads = m => (m.r || []).map(r => text(r[0]) + "=" + text(r[1]));
const takes = m => (m.h || []).map(h => "takes " + text(h));
const prints = m => (m.o || []).map(o => "prints " + text(o[0]) + ": " + text(o[1]));

// schedule writes actions as cdpor run --schedule reads them.
function schedule(moments) {
  const names = moments.slice(1).map(m => data.actions[m.a].name), parts = [];
  for (let i = 0, j; i < names.length; i = j) {
    for (j = i; j < names.length && names[j] === names[i]; j++);
    if (j - i > 3) parts.push(names[i] + "*" + (j - i));
    else for (let k = i; k < j; k++) parts.push(names[k]);
  }
  return parts.join(",");
}

// stateAfter is the state after the first moments of a list.
function stateAfter(moments, n) {
  const s = {values: [], places: []};
  for (const m of moments.slice(0, n)) {
    for (const [i, v] of m.v || []) s.values[i] = v;
    for (const [p, at] of m.l || []) s.places[p] = data.places[at];
  }
  return s;
}

// nextStep names what a process would do next in a state.
function nextStep(state, action) {
  const p = proc(action), label = (state.places[p] && state.places[p].text || "").split(": ")[0];
  return data.processes[p] + (label ? data.between + label : "") + choice(action);
}

// ---- the tree: nodes come in depth-first order, so what is below a node are those up to its last

const children = nodes.map(() => []), last = nodes.map((_, k) => k), level = [], plannedAt = nodes.map(() => []), sleepsFrom = nodes.map(() => []);
nodes.forEach((n, k) => { if (k > 0) children[n.p].push(k); });
for (let k = nodes.length - 1; k > 0; k--) last[nodes[k].p] = Math.max(last[nodes[k].p], last[k]);
nodes.forEach((n, k) => {
  level[k] = k === 0 ? 0 : level[n.p] + (children[n.p].length > 1 ? 1 : 0);
  for (const i of n.i || []) plannedAt[i.at].push({...i, told: k});
  for (const q of n.q || []) sleepsFrom[q.at].push({...q, told: k});
});
const isHead = k => k === 0 || level[k] > level[nodes[k].p];
const head = k => { while (!isHead(k)) k = nodes[k].p; return k; };
const path = k => { const list = []; for (; k >= 0; k = nodes[k].p) list.push(k); return list.reverse(); };

const endings = {
  ended: ["good", "ended", "All " + who + "s have finished."],
  deadlock: ["bad", "deadlock", "Nothing can run, although not everybody has finished: a deadlock."],
  failed: ["bad", "failed", "The execution is over, and a step of it failed."],
  dropped: ["doubt", "dropped", "An assumption is false: the execution is not counted."],
  cut: ["doubt", "cut", "The execution was cut at the depth limit."],
  blocked: ["doubt", "blocked", "Given up: all that may be taken here is asleep, so it has been explored elsewhere."],
  hopeless: ["doubt", "given up", "Given up: a " + who + " sleeps here that nobody else can wake, so every execution from here has been explored elsewhere."],
  visited: ["doubt", "state known", "State known: what follows is explored from "],
};
const skips = {
  "asleep": ["not visited: all asleep", "Not visited: all that is enabled here is asleep, so it has been explored elsewhere."],
  "same state": ["not visited: same state", "Not visited: a sleep sequence ends here, so the state is explored on another way."],
  "state known": ["state known", "Not followed: the state has been visited on another way."],
};
const reasons = {
  "to begin with": "a first choice, no conflict asked for it",
  "planned": "it continues a sequence that was planned before",
  "reverses a race": "to try a conflict in the other order",
  "other place": "a step that can be disabled might run at another place",
  "other alternative": "another alternative of a step that chooses",
  "compensation": "to make up for conflicts that are not seen behind a sleeper",
};

// badges are what is worth knowing of a node at a glance: [style, text].
function badges(k) {
  const n = nodes[k], list = [];
  if (n.f) list.push(["bad", "FAILS"]);
  if (n.e && !(n.f && n.e === "failed")) {
    const [style, word] = endings[n.e];
    list.push([style, n.n ? (n.e === "ended" ? "outcome " : "deadlock ") + n.n : n.e === "visited" ? word + ", back to #" + (n.b || 0) : word]);
  }
  if (n.k) list.push(["doubt", skips[n.k][0]]);
  if (n.u) list.push(["doubt", "not finished"]);
  const races = (n.c || []).filter(c => c.kind !== "removed race").length, removed = (n.c || []).length - races;
  if (races) list.push(["", plural(races, "conflict")]);
  if (removed) list.push(["", plural(removed, "removed conflict")]);
  const asleep = (n.z || []).length + (n.y || []).length;
  if (asleep && !n.k) list.push(["", asleep + " asleep"]);
  if ((n.q || []).length) list.push(["", plural(n.q.length, "sleep sequence")]);
  if ((n.x || []).length) list.push(["doubt", "bound"]);
  return list;
}

const words = []; // per node, for searching
function wordsOf(k) {
  if (words[k] === undefined) {
    const n = nodes[k];
    const own = k === 0 ? ["start"] : [stepName(n), stepOf(n).text, ...takes(n), ...changes(n), ...reads(n), ...prints(n), text(n.f || 0), text(n.t || 0)];
    words[k] = ("#" + k + " " + own.join(" ") + " " + badges(k).map(b => b[1]).join(" ")).toLowerCase();
  }
  return words[k];
}

// ---- rows: only those in sight are in the document

let rowHeight = 26;
const treeBox = $("tree"), rowBox = $("rows");
const folded = new Set(), found = new Set();
let visible = [], rowOf = new Map(), current = 0, matches = [];

// fit gives a row a second line, for its badges, where one line is too short for all.
function fit() {
  const height = treeBox.clientWidth < 640 ? 46 : 26;
  if (height === rowHeight) return drawRows();
  treeBox.classList.toggle("narrow", height > 26);
  rowHeight = height;
  layout();
  scrollTo(current);
}

function layout() {
  visible = [];
  for (let k = 0; k < nodes.length; k++) {
    visible.push(k);
    if (folded.has(k)) k = last[k];
  }
  rowOf = new Map(visible.map((k, i) => [k, i]));
  rowBox.style.height = visible.length * rowHeight + "px";
  drawRows();
}

function drawRows() {
  const first = Math.max(0, Math.floor(treeBox.scrollTop / rowHeight) - 8);
  const end = Math.min(visible.length, Math.ceil((treeBox.scrollTop + treeBox.clientHeight) / rowHeight) + 8);
  const rows = [];
  for (let i = first; i < end; i++) rows.push(row(visible[i], i));
  rowBox.replaceChildren(...rows);
  if (rowOf.has(current)) treeBox.setAttribute("aria-activedescendant", "row-" + current);
  mapStale();
}

// mapStale draws the map anew with the next frame, if what it shows is no longer so.
let mapped = "", searches = 0;
function mapStale() {
  const shows = [chosen.kind, chosen.number, map.clientWidth, searches, matchMedia("(prefers-color-scheme: dark)").matches].join(" ");
  if (shows !== mapped) requestAnimationFrame(drawMap);
  mapped = shows;
}

function row(k, i) {
  const n = nodes[k], foldable = isHead(k) && children[k].length > 0, shut = folded.has(k);
  const step = k === 0 ? el("span.step", null, "start") :
    el("span.step", null, el("span.who." + colour(proc(n.a)), null, stepName(n)), " " + shorten(stepOf(n).text, 60));
  step.title = step.textContent;
  const effect = k === 0 ? "" : [...takes(n), ...changes(n)].join(", ");
  return el("div.row" + (found.has(k) ? ".found" : "") + (chosen.kind === "node" && chosen.number === k ? ".chosen" : "") + (n.k ? ".skipped" : ""),
    {id: "row-" + k, role: "treeitem", style: "top:" + i * rowHeight + "px", "data-node": k, "aria-level": level[k] + 1,
      "aria-selected": String(k === current), "aria-expanded": foldable ? String(!shut) : null},
    el("span.line", null, el("span.id", null, "#" + k),
      el("span.guides", {style: "width:" + Math.min(level[k] * 14, Math.floor(treeBox.clientWidth / 42) * 14) + "px"}),
      el("span.handle", {"aria-hidden": "true"}, foldable ? (shut ? "▸" : "▾") : ""), step),
    el("span.line.more", null, shut ? el("span.chip", null, "… " + plural(last[k] - k, "node")) : "",
    badges(k).map(([style, word]) => el("span.chip" + (style ? "." + style : ""), null, word)),
      effect ? el("span.what", {title: effect}, shorten(effect, 60)) : ""));
}

function reveal(k) {
  let changed = false;
  for (let a = nodes[k].p; a >= 0; a = nodes[a].p) changed = folded.delete(a) || changed;
  if (changed) layout();
}

function scrollTo(k) {
  const top = rowOf.get(k) * rowHeight;
  if (top < treeBox.scrollTop) treeBox.scrollTop = top - rowHeight;
  else if (top + 2 * rowHeight > treeBox.scrollTop + treeBox.clientHeight) treeBox.scrollTop = top + 2 * rowHeight - treeBox.clientHeight;
}

function toggle(k, shut = !folded.has(k)) {
  if (shut) folded.add(k); else folded.delete(k);
  if (shut && current > k && current <= last[k]) select(k);
  layout();
}

// select makes a node the current one and shows it.
function select(k) {
  reveal(k);
  current = k;
  history.replaceState(null, "", "#node-" + k);
  show("node", k);
  scrollTo(k);
  drawRows();
}

// pattern finds a text, but no number that only begins so.
const pattern = s => new RegExp(s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + (/\d$/.test(s) ? "(?!\\d)" : ""));

function search() {
  const query = $("search").value.trim().toLowerCase(), terms = query.split(/\s+/);
  found.clear();
  const all = query === "" ? [] : nodes.map((_, k) => k), one = pattern(query), several = terms.map(pattern);
  matches = all.filter(k => one.test(wordsOf(k)));
  if (matches.length === 0) matches = all.filter(k => several.every(t => t.test(wordsOf(k))));
  matches.forEach(k => found.add(k));
  searches++;
  tellMatches();
  drawRows();
}

function tellMatches() {
  const at = matches.indexOf(current);
  $("matches").value = $("search").value.trim() === "" ? "" : matches.length === 0 ? "no match" : at < 0 ? plural(matches.length, "match").replace(/hs$/, "hes") : at + 1 + " of " + matches.length;
}

function nextMatch(forward) {
  if (matches.length === 0) return;
  const k = forward ? matches.find(m => m > current) ?? matches[0] : matches.findLast(m => m < current) ?? matches[matches.length - 1];
  select(k);
  tellMatches();
}

function treeKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const i = rowOf.get(current), go = k => { if (k !== undefined) select(k); };
  const page = Math.max(1, Math.floor(treeBox.clientHeight / rowHeight) - 2);
  switch (e.key) {
  case "ArrowDown": go(visible[i + 1]); break;
  case "ArrowUp": go(visible[i - 1]); break;
  case "PageDown": go(visible[Math.min(visible.length - 1, i + page)]); break;
  case "PageUp": go(visible[Math.max(0, i - page)]); break;
  case "Home": go(visible[0]); break;
  case "End": go(visible[visible.length - 1]); break;
  case "ArrowLeft":
    if (isHead(current) && children[current].length && !folded.has(current)) toggle(current, true);
    else if (!isHead(current)) go(head(current));
    else if (current > 0) go(head(nodes[current].p));
    break;
  case "ArrowRight":
    if (folded.has(current)) toggle(current, false);
    else if (children[current].length) go(children[current][0]);
    break;
  case "Enter": case " ":
    if (isHead(current) && children[current].length) toggle(current);
    break;
  case "n": nextMatch(true); break;
  case "N": nextMatch(false); break;
  default: return;
  }
  e.preventDefault();
}

// ---- the map: the whole tree in small, as nested bars; a column per leaf, a row per step

const map = $("map"), depth = [], from = [], until = [];
let leaves = 0, deepest = 1;
nodes.forEach((n, k) => {
  depth[k] = k === 0 ? 0 : depth[n.p] + 1;
  deepest = Math.max(deepest, depth[k]);
  from[k] = leaves;
  if (children[k].length === 0) leaves++;
});
for (let k = nodes.length - 1; k >= 0; k--) until[k] = children[k].length ? until[children[k][children[k].length - 1]] : from[k] + 1;

// mapLegend says what the map and the strip below it show.
function mapLegend() {
  const sort = (style, word) => el("span." + style, null, el("i"), el("span.faint", null, word));
  const ends = new Set(nodes.flatMap((n, k) => children[k].length ? [] : n.e ? [endings[n.e][0]] : n.k || n.u ? ["doubt"] : []));
  const words = {good: "ended", bad: "deadlock or failure", doubt: "given up, cut or known from elsewhere"};
  const moved = [...new Set(nodes.slice(1).map(n => proc(n.a)))].sort((a, b) => a - b), most = 8;
  $("map-legend").replaceChildren(
    el("span.wide", null, "Map: a column is an execution, time runs down, a bar is a step in the colour of its " + who + ". The strip at the bottom: how the execution ended."),
    ...moved.slice(0, most).map(p => el("span." + colour(p), null, el("i"), data.processes[p])),
    moved.length > most ? el("span", null, "and " + (moved.length - most) + " more " + who + "s, in these colours again") : "",
    el("span", null, "strip:"), ...Object.keys(words).filter(w => ends.has(w)).map(w => sort(w, words[w])));
}

const mapFoot = 10; // pixels for how executions end

function drawMap() {
  const scale = devicePixelRatio || 1, w = map.clientWidth, h = map.clientHeight, style = getComputedStyle(document.documentElement);
  const paint = name => style.getPropertyValue("--" + name).trim();
  if (map.width !== w * scale) [map.width, map.height] = [w * scale, h * scale];
  const c = map.getContext("2d"), x = i => i * w / leaves, y = d => d * (h - mapFoot) / (deepest + 1);
  c.setTransform(scale, 0, 0, scale, 0, 0);
  c.clearRect(0, 0, w, h);
  const bar = (k, colour, alpha) => {
    c.fillStyle = colour;
    c.globalAlpha = alpha;
    const gap = y(1) > 3 ? 1 : 0, side = (until[k] - from[k]) * w / leaves > 3 ? 1 : 0;
    c.fillRect(x(from[k]), y(depth[k]), Math.max(0.6, x(until[k]) - x(from[k]) - side), Math.max(0.6, y(1) - gap));
  };
  const colours = Array.from({length: 8}, (_, i) => paint("p" + i)), ends = {good: paint("good"), bad: paint("bad"), doubt: paint("doubt")};
  nodes.forEach((n, k) => bar(k, k === 0 ? paint("faint") : colours[proc(n.a) % 8], n.k ? 0.25 : found.size && !found.has(k) ? 0.22 : 0.6));
  const onWay = new Set(chosen.kind === "node" ? path(chosen.number) : []);
  onWay.forEach(k => bar(k, paint("ink"), k === chosen.number ? 1 : 0.75));
  c.globalAlpha = 1;
  nodes.forEach((n, k) => {
    const end = n.e ? endings[n.e][0] : n.k || n.u ? "doubt" : "";
    if (children[k].length || !end) return;
    c.fillStyle = ends[end];
    c.fillRect(x(from[k]), h - mapFoot + 3, Math.max(0.6, x(1) - (x(1) > 3 ? 1 : 0)), mapFoot - 4);
  });
}

// nodeAt is the node of the map at a place.
function nodeAt(e) {
  const box = map.getBoundingClientRect(), column = Math.floor((e.clientX - box.left) / box.width * leaves);
  const row = Math.floor((e.clientY - box.top) / (box.height - mapFoot) * (deepest + 1));
  let k = 0;
  for (;;) {
    const next = depth[k] < row ? children[k].find(c => from[c] <= column && column < until[c]) : undefined;
    if (next === undefined) return k;
    k = next;
  }
}

// ---- what is chosen: a node, or how an outcome, a deadlock or a violation comes about

let chosen = {kind: "", number: 0};

function show(kind, number) {
  let moments, cycle = 0, title, why = "", replay, facts = [], waits = [];
  if (kind === "node") {
    if (!nodes[number]) return false;
    moments = path(number).map(k => nodes[k]);
    title = number === 0 ? "The start" : "Node #" + number;
    why = whyOf(number);
    const list = schedule(moments);
    replay = data.run + (list.includes("*") ? "'" + list + "'" : list);
    facts = factsOf(number, stateAfter(moments, moments.length));
  } else {
    const s = data.schedules.find(s => s.kind === kind && s.number === number);
    if (!s) return false;
    moments = s.moments;
    cycle = s.cycle || 0;
    waits = s.ring || [];
    title = kind[0].toUpperCase() + kind.slice(1) + " " + number;
    why = s.text;
    replay = s.replay;
  }
  chosen = {kind, number};
  for (const e of document.querySelectorAll("tr.chosen, .ends .chosen")) e.classList.remove("chosen");
  const link = document.querySelector(`main .finds a[href="#${kind}-${number}"]`);
  if (link) link.closest("tr, li").classList.add("chosen");
  const steps = moments.length - 1, state = el("div.state");
  $("detail").replaceChildren(
    el("h2", {id: "detail-title"}, title, el("small.faint", null, steps === 0 ? "before the first step" : "after " + plural(steps, "step")),
      el("a.back", {href: kind === "node" ? "#tree-title" : treeBox ? "#outcomes-title" : "#violations-title"}, "↑ back")),
    why ? el("p.why", null, why) : "",
    steps > 0 ? el("div.replay", null, el("code", null, replay), copyButton(replay)) : "",
    facts.length ? el("dl.facts", null, facts.map(([name, ...entries]) => [el("dt", null, name), el("dd", null, entries.map(x => el("div", null, x)))])) : "",
    waits.length > 1 ? ring(waits) : "",
    steps > 0 ? el("h3", null, "Schedule") : "",
    steps > 0 ? el("div.beside", null, diagram(moments, cycle, at => drawState(state, moments, at)), listing(moments, why)) : "",
    state);
  drawState(state, moments, steps);
  return true;
}

// ring draws who waits for whom: each process for the next, and the last for the first.
function ring(list) {
  const n = list.length, r = n === 2 ? 90 : 55 + 12 * n, height = n === 2 ? 110 : 2 * r + 50, cx = 240, cy = height / 2;
  const at = i => [cx + (n === 2 ? 1.1 : 1.6) * r * Math.cos(2 * Math.PI * i / n - (n === 2 ? Math.PI : Math.PI / 2)), cy + r * Math.sin(2 * Math.PI * i / n - (n === 2 ? Math.PI : Math.PI / 2))];
  const picture = svg("svg", {width: 480, height, viewBox: `0 0 480 ${height}`, role: "img", "aria-label": list.concat(list[0]).map(p => data.processes[p]).join(" waits for ")},
    svg("defs", null, svg("marker", {id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto"}, svg("path.head", {d: "M0 0 L8 4 L0 8 z"}))));
  list.forEach((_, i) => {
    const [x1, y1] = at(i), [x2, y2] = at((i + 1) % n), d = Math.hypot(x2 - x1, y2 - y1), bow = n === 2 ? 60 : 18;
    const mx = (x1 + x2) / 2 + bow * (y2 - y1) / d, my = (y1 + y2) / 2 - bow * (x2 - x1) / d; // to the outside
    const near = (x, y) => { const k = 26 / Math.hypot(mx - x, my - y); return [x + (mx - x) * k, y + (my - y) * k]; };
    const [a, b] = near(x1, y1), [c, e] = near(x2, y2);
    picture.append(svg("path.arrow", {d: `M${a} ${b} Q${mx} ${my} ${c} ${e}`, "marker-end": "url(#head)"}));
  });
  list.forEach((p, i) => picture.append(svg("g", {class: colour(p)}, svg("text.name", {x: at(i)[0], y: at(i)[1] + 5, "text-anchor": "middle"}, laneName(p, 22)))));
  return el("div.diagram.ring", null, el("h3", null, "Who waits for whom"), picture);
}

// listing is the text of the program around the steps, with their numbers at their lines, and marks where it fails, as
// why begins with it: behind the last step, in Go. A wide page shows it.
function listing(moments, why) {
  const at = new Map(); // file and line: numbers of steps
  moments.slice(1).forEach((m, i) => {
    const file = stepOf(m).file || "", line = stepOf(m).line;
    if (!at.has(file)) at.set(file, new Map());
    at.get(file).set(line, [...at.get(file).get(line) || [], [i + 1, proc(m.a)]]);
  });
  const [, failing, number] = /^(.+?):(\d+):\d+: /.exec(why) || [];
  if (at.has(failing) && !at.get(failing).has(+number)) at.get(failing).set(+number, []);
  return el("div.listing", null, [...at].map(([file, lines]) => {
    const whole = [...document.querySelectorAll("footer ol.program")].find(o => o.dataset.file === file);
    if (!whole) return "";
    const all = [...whole.children], from = Math.max(1, Math.min(...lines.keys()) - 2), to = Math.min(all.length, Math.max(...lines.keys()) + 2, from + 120);
    return el("ol.program", {start: from}, all.slice(from - 1, to).map((l, i) => {
      const steps = lines.get(from + i) || [];
      return el(file === failing && from + i === +number ? "li.fails" : "li", null,
        el("span.steps", null, steps.slice(0, 4).map(([n, p]) => el("b." + colour(p), {title: data.processes[p] + ", step " + n}, n + " ")),
          steps.length > 4 ? el("span.faint", {title: steps.map(([n]) => n).join(", ")}, "…") : ""),
        el("code", null, l.textContent));
    }));
  }));
}

function copyButton(what) {
  const b = el("button", {title: "Copy the command that runs this schedule"}, "Copy");
  b.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(what); b.textContent = "Copied"; } catch {
      getSelection().selectAllChildren(b.previousSibling);
      b.textContent = "Selected";
    }
  });
  return b;
}

function whyOf(k) {
  const n = nodes[k];
  const kind = n.e === "ended" ? "outcome" : "deadlock";
  if (n.e === "visited") return [endings.visited[2], nodeLink(n.b || 0), "."];
  if (n.e) return [endings[n.e][2], n.n ? [" It is ", el("a", {href: "#" + kind + "-" + n.n}, kind + " " + n.n), "."] : ""];
  if (n.k) return skips[n.k][1];
  if (n.u) return "The search or this page stops here: not everything below is known.";
  return "";
}

const nodeLink = k => el("a", {href: "#node-" + k}, k === 0 ? "the start" : "#" + k);
const stepAt = k => el("code." + colour(proc(nodes[k].a)), null, stepName(nodes[k]));
const lineLink = s => el("a", {href: "#", onclick: e => { e.preventDefault(); showLine(s); }}, s.file ? s.label : "line " + s.line);

function showLine(s) {
  const file = [...document.querySelectorAll(".program ol")].find(o => o.dataset.file === (s.file || ""));
  const line = file && file.querySelectorAll("li")[s.line - 1];
  if (!line) return;
  line.closest("details").open = true;
  for (const l of document.querySelectorAll(".program li.chosen")) l.classList.remove("chosen");
  line.classList.add("chosen");
  line.scrollIntoView({block: "center"});
}

// factsOf lists what is known of a node beside its state: [name, entry, ...].
function factsOf(k, state) {
  const n = nodes[k], facts = [], sleepers = [...(n.z || []), ...(n.y || [])];
  const names = (list, why) => (list || []).map(a => [el("code." + colour(proc(a)), null, nextStep(state, a)), " – " + why]);
  const sequence = actions => actions.map((a, i) => [i > 0 ? ", " : "", el("code." + colour(proc(a)), null, data.processes[proc(a)] + choice(a))]);
  if (k > 0) facts.push(["Step", [stepAt(k), " ", el("code", null, stepOf(n).text), ", ", lineLink(stepOf(n))]]);
  if (k > 0 && takes(n).length) facts.push(["Takes", ...n.h.map(h => el("code", null, text(h)))]);
  const races = (n.c || []).map(c => {
    const who = c.a === n.a ? "" : [el("code." + colour(proc(c.a)), null, nextStep(state, c.a)),
      sleepers.includes(c.a) ? ", asleep here, " : ", disabled here, "];
    const other = [stepAt(c.with), " of ", nodeLink(c.with)];
    if (c.kind === "removed race") return [who, who ? "and " : "none with ", other, who ? " are no conflict" : "", ": a constraint holds where the two stand side by side"];
    return [who, who ? "conflicts with " : "with ", other, c.kind === "hidden race" ? ", behind a step that enabled it" : ""];
  });
  if (races.length) facts.push(["Conflicts", ...races]);
  const added = (n.i || []).filter(i => i.at !== k).map(i => [sequence(i.a), " to be tried at ", nodeLink(i.at), ": ", reasons[i.why]]);
  if (added.length) facts.push(["Adds", ...added]);
  const planned = new Map();
  for (const i of plannedAt[k]) {
    const key = i.a.join();
    if (planned.has(key)) continue;
    const child = children[k].find(c => nodes[c].a === i.a[0]);
    planned.set(key, [i.a.length === 1 ? el("code." + colour(proc(i.a[0])), null, nextStep(state, i.a[0])) : sequence(i.a),
      child !== undefined ? [" → ", nodeLink(child)] : sleepers.includes(i.a[0]) ? " (asleep)" : n.u ? " (not in the tree)" : " (not taken)", ": ", reasons[i.why], i.told !== k ? [", found at ", nodeLink(i.told)] : ""]);
  }
  if (planned.size) facts.push(["Tried from here", ...planned.values()]);
  const asleep = [...names(n.z, "all that begins with it has been explored from an earlier node"), ...names(n.y, "another order led to the same state")];
  if (asleep.length) facts.push(["Asleep", ...asleep]);
  const begin = sleepsFrom[k].map(q => [sequence(q.a), " leads to a state that is explored on another way, found at ", nodeLink(q.told)]);
  if (begin.length) facts.push(["Sleep sequences", ...begin]);
  if (n.x) facts.push(["Bound", ...names(n.x, "forbidden by the bound on preemptions")]);
  return facts;
}

// laneName is the name of a process in few letters: of the place of a go statement, its end is what tells it from others.
const laneName = (p, most = 18) => {
  const name = data.processes[p], letters = [...name];
  return data.between === " " && letters.length > most ? "…" + letters.slice(1 - most).join("") : shorten(name, most);
};

// ---- a schedule as a space-time diagram: a lane per process, time runs down, arrows are what must happen before

// cycle is how many steps at the end go round for ever.
function diagram(moments, cycle, onChoose) {
  const steps = moments.slice(1), shown = Math.min(steps.length, 1000), final = stateAfter(moments, moments.length);
  const moved = new Set(steps.map(m => proc(m.a)));
  let lanes = data.processes.map((_, p) => p).filter(p => moved.has(p) || data.processes.length <= 10 && final.places[p] && final.places[p].kind !== "not started");
  const box = el("div.diagram"), wide = matchMedia("(min-width: 1700px)").matches, width = Math.max(260, wide ? ($("detail").clientWidth - 52) * 0.58 : $("detail").clientWidth - 34);
  const left = 30, least = 150; // pixels for what steps are called
  const laneWidth = Math.max(14, Math.min(120, width * (width < 480 ? 0.3 : 0.4) / lanes.length));
  const below = left + laneWidth * lanes.length + 10 + least > width; // too many lanes: texts stand below the dots, not beside them
  const x = new Map(lanes.map((p, i) => [p, left + laneWidth * (i + 0.5)]));
  const names = lanes.map(p => data.processes[p]), longest = Math.max(...names.map(s => s.length));
  const slanted = longest * 7.6 > laneWidth - 6, angle = laneWidth < 16 ? 80 : laneWidth < 20 ? 62 : 42;
  const top = slanted ? 22 + Math.min(18, longest) * 7.8 * Math.sin(angle * Math.PI / 180) : 26;
  const textX = below ? left + 4 : left + laneWidth * lanes.length + 10, drop = below ? 18 : 0, total = Math.max(width, left + laneWidth * lanes.length + 10, textX + least), fits = Math.floor((total - textX - 4) / 7.6);
  const resumes = (m, i) => { // the second step of a statement that has two, such as c.wait(m)
    const first = data.who === "thread" && steps.slice(0, i).findLast(o => proc(o.a) === proc(m.a));
    return first && first.t && stepOf(first).line === stepOf(m).line && stepOf(first).column === stepOf(m).column && stepOf(first).label !== stepOf(m).label;
  };
  const texts = steps.slice(0, shown).map((m, i) => stepOf(m).text + (resumes(m, i) ? " goes on" : ""));
  const narrow = fits < 44 || texts.some((t, i) => stepName(steps[i]).length + 1 + t.length > fits); // then what a step is has a line of its own
  const y = [], lines = [], round = cycle ? steps.length - cycle : -1;
  let at = top, turn = 0;
  steps.slice(0, shown).forEach((m, i) => {
    if (i === round) turn = at += 24;
    const list = narrow ? [["what", texts[i]]] : [];
    for (const t of takes(m)) list.push(["", t]);
    if ((m.r || []).length) list.push(["", "reads " + reads(m).join(" ")]);
    for (const c of changes(m)) list.push(["change", c]);
    for (const p of prints(m)) list.push(["", p]);
    if (m.f) list.push(["bad", "FAILS: " + text(m.f)]);
    if (m.t && (i + 1 === steps.length || proc(steps[i + 1].a) !== proc(m.a))) list.push(["doubt", "(" + text(m.t) + ")"]);
    const folded = list.flatMap(([style, s]) => fold(s, Math.max(8, fits - 2)).map(part => [style, part]));
    lines.push(folded);
    y.push(at + 13);
    at += 26 + drop + 16 * folded.length;
  });
  const bottom = at + 8;

  const past = n => { // the steps that happen before step n, counted from 0, and itself
    const set = new Set(), todo = [n];
    while (todo.length) {
      const i = todo.pop();
      if (set.has(i)) continue;
      set.add(i);
      for (const b of steps[i].b || []) todo.push(b - 1);
      for (let j = i - 1; j >= 0; j--) if (proc(steps[j].a) === proc(steps[i].a)) { todo.push(j); break; }
    }
    return set;
  };
  const marker = id => svg("marker", {id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto"}, svg("path.head", {d: "M0 0 L8 4 L0 8 z"}));
  const picture = svg("svg", {width: total, height: bottom, role: "group", "aria-label": "Space-time diagram: " + plural(steps.length, "step")},
    svg("defs", null, marker("head")));
  const events = [], arrows = [];
  const choose = n => {
    const before = past(n);
    picture.classList.add("past");
    events.forEach((e, i) => { e.classList.toggle("chosen", i === n); e.classList.toggle("before", before.has(i)); e.setAttribute("aria-pressed", String(i === n)); });
    arrows.forEach(a => a.line.classList.toggle("before", before.has(a.to)));
    onChoose(n + 1);
  };
  steps.slice(0, shown).forEach((m, i) => {
    const p = proc(m.a), lane = x.get(p);
    const label = svg("text.label", {x: textX, y: y[i] + 4 + drop, class: "label " + colour(p)},
      svg("tspan.who", null, shorten(stepName(m), fits)), svg("tspan.what", null, narrow ? "" : " " + shorten(texts[i], Math.max(0, fits - stepName(m).length - 1))));
    const e = svg("g.event", {tabindex: 0, role: "button", "aria-label": "step " + (i + 1) + ", " + stepName(m) + ": " + texts[i], "data-step": i + 1},
      svg("rect", {x: 0, y: y[i] - 12, width: total, height: 25 + drop + 16 * lines[i].length, rx: 4}),
      svg("title", null, stepName(m) + ": " + texts[i] + lines[i].map(l => "\n" + l[1]).join("")),
      svg("text.number", {x: left - 8, y: y[i] + 4, "text-anchor": "end"}, String(i + 1)), label,
      lines[i].map(([style, s], k) => svg("text.effect" + (style ? "." + style : ""), {x: textX + 12, y: y[i] + 20 + drop + 16 * k}, shorten(s, fits - 2))));
    e.addEventListener("click", () => choose(i));
    e.addEventListener("keydown", k => {
      if (k.key === "Enter" || k.key === " ") choose(i);
      else if (k.key === "ArrowDown" && events[i + 1]) events[i + 1].focus();
      else if (k.key === "ArrowUp" && events[i - 1]) events[i - 1].focus();
      else return;
      k.preventDefault();
    });
    events.push(e);
  });
  if (turn) picture.append(svg("g.round", {"pointer-events": "none"}, svg("line", {x1: 0, x2: total, y1: turn - 7, y2: turn - 7}),
    svg("text", {x: textX, y: turn - 12}, "for ever: " + plural(cycle, "step") + " ↻")));
  picture.append(...events); // below the lanes, so that their ground does not hide these
  for (const p of lanes) {
    const mine = y.filter((_, i) => proc(steps[i].a) === p), until = mine.length ? mine[mine.length - 1] : top, lane = x.get(p);
    const g = svg("g", {class: colour(p), "pointer-events": "none"}, svg("line.lane", {x1: lane, x2: lane, y1: top - 4, y2: until}));
    if (final.places[p] && !["ended", "failed", "dropped"].includes(final.places[p].kind)) g.append(svg("line.lane.after", {x1: lane, x2: lane, y1: until, y2: bottom - 4}));
    g.append(slanted ? svg("text.name", {transform: `translate(${lane + 3} ${top - 9}) rotate(${-angle})`}, laneName(p)) :
      svg("text.name", {x: lane, y: top - 10, "text-anchor": "middle"}, data.processes[p]));
    picture.append(g);
  }
  steps.slice(0, shown).forEach((m, i) => {
    for (const b of m.b || []) {
      const x1 = x.get(proc(steps[b - 1].a)), y1 = y[b - 1], x2 = x.get(proc(m.a)), y2 = y[i], d = Math.hypot(x2 - x1, y2 - y1);
      const line = svg("line.arrow", {x1: x1 + (x2 - x1) * 6 / d, y1: y1 + (y2 - y1) * 6 / d, x2: x2 - (x2 - x1) * 7 / d, y2: y2 - (y2 - y1) * 7 / d,
        "marker-end": "url(#head)", "pointer-events": "none", "data-from": b, "data-to": i + 1});
      arrows.push({line, to: i});
      picture.append(line);
    }
  });
  steps.slice(0, shown).forEach((m, i) => picture.append(svg("circle.dot" + (m.f ? ".failed" : ""),
    {class: "dot " + colour(proc(m.a)) + (m.f ? " failed" : ""), cx: x.get(proc(m.a)), cy: y[i], r: 5.5, "pointer-events": "none"})));
  box.append(picture);
  if (shown < steps.length) box.append(el("p.note", null, "The first " + shown + " of " + steps.length + " steps."));
  const ordered = steps.some(m => m.b);
  const failed = steps.some(m => m.f), waits = final.places.some((place, p) => x.has(p) && !["ended", "failed", "dropped"].includes(place.kind));
  const legend = el("p.legend.diagram-legend.faint", null,
    el("span", null, el("i.dot"), "a step, in the lane of its " + who + "; time runs down"), failed ? el("span", null, el("i.failed"), "a step that fails") : "",
    waits ? el("span", null, el("i.dashed"), "the " + who + " is not at its end") : "",
    names.some(s => s.includes("#")) ? el("span", null, "#2: another goroutine started in the same line") : "");
  return el("div", null, box, legend, !treeBox ? "" : el("p.keys.faint", null, (ordered ? "An arrow leads from a step to one that has to happen after it. " : "No two " + who + "s depend on each other's steps. ") +
    "Choose a step to see the state after it and what had to happen before."));
}

// ---- a state

function drawState(box, moments, at) {
  const now = stateAfter(moments, at + 1), before = at > 0 ? stateAfter(moments, at) : now;
  const cell = i => now.values[i] === before.values[i] || before.values[i] === undefined ? el("code", null, text(now.values[i])) :
    el("span", null, el("code.changed", {title: "was " + text(before.values[i])}, text(now.values[i])), before.values[i] ? [" ", el("small.faint", null, "was " + text(before.values[i]))] : "");
  const shared = [], locals = new Map();
  data.variables.forEach((v, i) => {
    if (v.proc < 0 && now.values[i] === 0) return; // refers to something that has a row of its own
    if (v.proc < 0) shared.push(el("tr", null, el("th", null, el("code", null, v.name)), el("td", null, cell(i))));
    else if (now.values[i]) {
      if (!locals.has(v.proc)) locals.set(v.proc, []);
      locals.get(v.proc).push(el("div", null, el("code", null, v.name + " = "), cell(i)));
    }
  });
  const style = {"can run": "", waits: "doubt", failed: "bad", dropped: "doubt", crashed: "bad", ended: "faint"};
  const processes = now.places.map((place, p) => place.kind === "not started" ? "" : el("tr", null,
    el("th", {class: colour(p)}, data.processes[p]),
    el("td", null, el("span", {class: style[place.kind]}, place.kind), place.text ? [" ", el("code", null, place.text)] : ""),
    el("td", null, locals.get(p) || "")));
  box.replaceChildren(
    el("h3", null, at === 0 ? "State at the start" : "State after step " + at),
    shared.length ? el("div.scroll", null, el("table", {id: "state"}, el("tbody", null, shared))) : el("p.faint", null, treeBox ? "There are no shared variables." : "Values are not known of a test that was executed."),
    el("div.scroll", null, el("table", null, el("tbody", null, processes))));
}

// ---- begin

function fromHash() {
  const m = /^#(node|outcome|deadlock|violation)-(\d+)$/.exec(location.hash);
  if (!m) return false;
  const number = +m[2];
  if (m[1] === "node" && nodes[number]) {
    select(number);
    return true;
  }
  const ok = show(m[1], number);
  if (nodes.length) drawRows();
  return ok;
}

// toDetail brings the detail into sight where it does not stand beside the rest.
function toDetail() {
  if ($("detail").getBoundingClientRect().top > innerHeight - 120) $("detail").scrollIntoView();
}

function start() {
  if (nodes.length) {
    $("tools").hidden = $("keys").hidden = map.hidden = $("map-legend").hidden = false;
    mapLegend();
    map.addEventListener("click", e => select(nodeAt(e)));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", mapStale);
    if (nodes.length > 400) { // as many levels open as can be overlooked
      const perLevel = [];
      level.forEach(l => perLevel[l] = (perLevel[l] || 0) + 1);
      let most = 0, sum = perLevel[0];
      while (most + 1 < perLevel.length && sum + perLevel[most + 1] <= 400) sum += perLevel[++most];
      nodes.forEach((_, k) => { if (isHead(k) && level[k] > most && children[k].length) folded.add(k); });
    }
    layout();
    treeBox.addEventListener("scroll", () => requestAnimationFrame(drawRows));
    addEventListener("resize", fit);
    fit();
    treeBox.addEventListener("keydown", treeKey);
    treeBox.addEventListener("click", e => {
      const r = e.target.closest(".row");
      if (!r) return;
      const k = +r.dataset.node;
      if (e.target.closest(".handle") && isHead(k) && children[k].length) return toggle(k);
      select(k);
      toDetail();
    });
    $("search").addEventListener("input", search);
    $("search").addEventListener("keydown", e => {
      if (e.key === "Enter") nextMatch(!e.shiftKey);
      else if (e.key === "Escape") { $("search").value = ""; search(); treeBox.focus(); } else return;
      e.preventDefault();
    });
    $("next").addEventListener("click", () => nextMatch(true));
    $("previous").addEventListener("click", () => nextMatch(false));
    $("fold").addEventListener("click", () => { nodes.forEach((_, k) => { if (isHead(k) && children[k].length && k > 0) folded.add(k); }); reveal(0); if (current > 0) select(0); layout(); });
    $("unfold").addEventListener("click", () => { folded.clear(); layout(); scrollTo(current); });
    addEventListener("keydown", e => {
      if (e.key !== "/" || e.target.closest("input")) return;
      $("search").focus();
      e.preventDefault();
    });
  } else {
    if (treeBox) treeBox.replaceWith(el("p.faint", null, "The search did not begin, so there is no tree."));
    if (data.schedules.length === 0) $("detail").hidden = true;
  }
  addEventListener("hashchange", () => { if (fromHash()) toDetail(); });
  if (fromHash()) {
    toDetail();
  } else {
    const first = data.schedules[0];
    if (first) show(first.kind, first.number); else if (nodes.length) show("node", 0);
  }
  if (nodes.length) drawRows();
}
start();
})();
