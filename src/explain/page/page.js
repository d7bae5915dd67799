"use strict";
// Reads the records of a stepped run, which are in this page, and shows one step. The records are described by
// `visim run --help` and in the source, src/explain/stepped/record.rs.

// ---- Records ----

const $ = id => document.getElementById(id);
const lines = text => text.split("\n").filter(line => line).map(line => JSON.parse(line));
const layouts = [], surfaces = [];
let program = { files: [], variables: [], instructions: [] }, end = { steps: 0, executed: [], threads: [], spans: [], barriers: [] };
for (const record of lines($("common").textContent)) {
  if (record.program) program = { ...program, ...record.program };
  else if (record.layout) layouts.push(record.layout);
  else if (record.surface) surfaces.push(record.surface);
  else if (record.end) end = record.end;
}
const windows = [...document.querySelectorAll("script[data-first]")].map(element => ({ first: +element.dataset.first, element }));
const registerBytes = Math.max(0, ...program.variables.map(v => v.at + v.bytes));

// Windows that were read last; a page of many steps does not keep all.
const recent = [];

// The records of the window with a step.
function windowOf(step) {
  let low = 0, high = windows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (windows[middle].first <= step) low = middle; else high = middle - 1;
  }
  const found = windows[low];
  if (!found.records) {
    found.records = lines(found.element.textContent);
    found.steps = found.records.filter(r => r.step).map(r => r.step);
    recent.push(found);
    if (recent.length > 8) { const old = recent.shift(); delete old.records; delete old.steps; }
  }
  return found;
}

const stepAt = number => { const w = windowOf(number); return w.steps[number - w.first]; };

function put(registers, pieces) {
  for (const [at, digits] of pieces || [])
    for (let i = 0; i < digits.length; i += 2) registers[at + i / 2] = parseInt(digits.substr(i, 2), 16);
}

// The registers of the thread of a step, in front of it and after it.
function registersAt(number) {
  const w = windowOf(number), wanted = w.steps[number - w.first];
  const registers = new Uint8Array(registerBytes);
  for (const { state, step } of w.records) {
    if (state && state.thread === wanted.thread) { registers.fill(0); put(registers, state.registers); }
    if (!step || step.thread !== wanted.thread) continue;
    put(registers, step.changes);
    if (step === wanted) break;
    put(registers, step.writes);
  }
  const after = registers.slice();
  put(after, wanted.writes);
  return { before: registers, after };
}

// ---- Values ----

const sizes = { ub: 1, b: 1, uw: 2, w: 2, hf: 2, bf: 2, ud: 4, d: 4, f: 4, bool: 4, uq: 8, q: 8, df: 8 };

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * fraction / 1024);
}

// A float with no more digits than tell it from its neighbours.
function shortest(value) {
  if (!Number.isFinite(value)) return String(value);
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(+text) === value) return String(+text);
  }
  return String(value);
}

// The element of a type at a byte, as text.
function element(registers, at, type) {
  const size = sizes[type] || 4;
  if (at < 0 || at + size > registers.length) return "…";
  const view = new DataView(registers.buffer, registers.byteOffset + at, size);
  switch (type) {
    case "ub": return String(view.getUint8(0));
    case "b": return String(view.getInt8(0));
    case "uw": return String(view.getUint16(0, true));
    case "w": return String(view.getInt16(0, true));
    case "d": return String(view.getInt32(0, true));
    case "f": return shortest(view.getFloat32(0, true));
    case "df": return String(view.getFloat64(0, true));
    case "uq": return String(view.getBigUint64(0, true));
    case "q": return String(view.getBigInt64(0, true));
    case "hf": return shortest(half(view.getUint16(0, true)));
    case "bf": { const wide = new DataView(new ArrayBuffer(4)); wide.setUint16(2, view.getUint16(0, true), true); return shortest(wide.getFloat32(0, true)); }
    // Of no known type: a small number, or bits, which may be a float's.
    case "raw": {
      const value = view.getUint32(0, true), float = view.getFloat32(0, true), size = Math.abs(float);
      return value < 65536 ? String(value) : hex(value) + (size > 1e-6 && size < 1e7 ? " = " + shortest(float) : "");
    }
    case "bool": return hex(view.getUint32(0, true));
    default: return String(view.getUint32(0, true));
  }
}

const bitsOf = (registers, at) => at >= 0 && at + 4 <= registers.length ? new DataView(registers.buffer, registers.byteOffset + at, 4).getUint32(0, true) : 0;
const hex = (value, digits = 0) => "0x" + (value >>> 0).toString(16).padStart(digits, "0");
const bytesText = bytes => [...bytes].map(byte => byte.toString(16).padStart(2, "0")).join(" ");

const ownerOf = at => program.variables.find(v => !v.view && at >= v.at && at < v.at + v.bytes);

// The variable that owns a byte, as `NAME` or `NAME.8`.
function placeName(at) {
  const owner = ownerOf(at);
  if (!owner) return "byte " + at;
  return owner.name + (at > owner.at ? "." + (at - owner.at) : "");
}

// ---- Making elements ----

// `make("td.new", {title: …}, child, …)`; texts are texts.
function make(what, more, ...children) {
  const [tag, ...classes] = what.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  if (more instanceof Node || typeof more === "string") children.unshift(more);
  else for (const [name, value] of Object.entries(more || {}))
    if (name.startsWith("on")) made[name] = value; else made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function show(id, ...children) {
  const section = $(id);
  section.hidden = children.length === 0;
  section.querySelector(":scope > div").replaceChildren(...children);
}

const row = (...cells) => make("tr", {}, ...cells);

// ---- Source ----

const rows = [];
function drawSource() {
  const executed = program.files.map(() => new Map());
  program.instructions.forEach((instruction, op) => {
    if (!instruction.line) return;
    const of = executed[instruction.file || 0];
    of.set(instruction.line, (of.get(instruction.line) || 0) + (end.executed[op] || 0));
  });
  program.files.forEach((file, number) => {
    if (program.files.length > 1) $("source").append(make("h3", file.name));
    rows[number] = file.text.replace(/\n$/, "").split("\n").map((text, index) => {
      const count = executed[number].get(index + 1);
      const made = make("div.row", {},
        make("span.n", String(index + 1)), make("span.c", count ? count + "×" : ""), make(/^\s*\/\//.test(text) ? "code.note" : "code", text));
      if (count) { made.classList.add("ran"); made.onclick = () => goToLine(number, index + 1); }
      return made;
    });
    $("source").append(...rows[number]);
  });
}

// Keeps a line in sight without moving the rest of the page.
function scrollSource(line) {
  const box = $("source"), top = line.offsetTop - box.offsetTop;
  if (top < box.scrollTop + 40 || top > box.scrollTop + box.clientHeight - 60) box.scrollTop = top - box.clientHeight / 2;
}

// ---- Panels ----

let current = 0, lane = "lane" in document.body.dataset ? +document.body.dataset.lane : null;

function drawInstruction(step, instruction) {
  const thread = end.threads.find(t => t.index === step.thread);
  const group = thread ? `, group ${thread.group.join(",")}, local ${thread.local}` : "";
  const section = linkTo(instruction.page, instruction.section);
  const lanes = make("div.lanes", { role: "group", "aria-label": "Lanes" });
  const counts = { on: 0, predicated: 0, off: 0 };
  for (let k = 0; k < instruction.lanes; k++) {
    const on = step.lanes >>> k & 1, enabled = (step.enabled ?? step.lanes) >>> k & 1;
    const state = on ? "on" : enabled ? "predicated" : "off";
    counts[state]++;
    const words = { on: "runs", predicated: "off by the predicate", off: "off by the execution mask" }[state];
    lanes.append(make("button." + state, {
      id: "lane-" + k, title: `lane ${k}: ${words}`, "aria-pressed": String(lane === k),
      onclick: () => { lane = lane === k ? null : k; draw(); },
    }, String(k)));
  }
  const said = [`${counts.on} of ${instruction.lanes} lanes run`];
  if (counts.predicated) said.push(`${counts.predicated} off by the predicate (yellow)`);
  if (counts.off) said.push(`${counts.off} off by the execution mask (grey)`);
  show("instruction",
    make("div.big", instruction.text || instruction.opcode),
    make("div", {}, instruction.does, make("span.dim", {}, " · ", section)),
    make("div.dim", `thread ${step.thread}${group} · its step ${step.number}` + (step.stopped ? " · the thread waits or ends here" : "")),
    ...(instruction.lanes > 1 ? [lanes, make("div.dim", said.join(", "))] : []),
    ...(instruction.contradictions || []).map(text => make("p.dim", text)));
}

// The elements of an operand: rows of one element for each lane, or rows of what belongs to no lane.
function elementsOf(operand) {
  const byLane = [], loose = [];
  for (const [at, count, stride, first] of operand.runs)
    for (let k = 0; k < count; k++) {
      if (first === null) { loose.push(at + k * stride); continue; }
      const n = first + k;
      const free = byLane.find(lanes => lanes[n] === undefined) || (byLane.push([]), byLane[byLane.length - 1]);
      free[n] = at + k * stride;
    }
  return { byLane, loose };
}

// Operands as tables of at most 16 lanes, results last.
function drawOperands(step, instruction, { before, after }) {
  const reads = (instruction.reads || []).concat(step.reads || []), results = instruction.results || [];
  const lanes = instruction.lanes, picked = k => lane === k ? ".picked" : "";
  const all = reads.map(operand => [operand, before, false]).concat(results.map(operand => [operand, after, true]));

  // Rows of a part of the lanes.
  const rowsOf = ([operand, registers, isResult], from, to) => {
    let own = registers;
    const constant = operand.constant, base = operand.runs[0] ? operand.runs[0][0] : 0;
    if (constant) { own = new Uint8Array(base + constant.length / 2); put(own, [[base, constant]]); }
    const type = typeOf(operand, base);
    const title = at => `${operand.operand} ${constant ? "constant" : placeName(at)}:${type}`;
    const cell = (now, old, hint, k) => {
      const off = k !== null && !(step.lanes >>> k & 1);
      const kind = off ? ".off" : isResult && now !== old ? ".new" : isResult ? "" : ".read";
      return make("td" + kind + (k === null ? "" : picked(k)), { title: hint + (isResult ? ", before " + old : "") }, now);
    };
    const lanesOf = of => Array.from({ length: to - from }, (_, n) => of(from + n));
    if (operand.type === "bool") {
      const first = instruction.first_lane || 0, bit = (from, k) => String(bitsOf(from, base) >>> (first + k) & 1);
      return [row(make("th", `${operand.operand} ${placeName(base)}`), ...lanesOf(k => cell(bit(own, k), bit(before, k), `bit ${first + k}`, k)))];
    }
    const elements = elementsOf(operand), made = [];
    const at = (at, k) => at === undefined ? make("td.off", "")
      : cell(element(own, at, type), element(before, at, type), constant ? "" : placeName(at), k);
    elements.byLane.slice(0, 64).forEach((row_, n) => {
      const start = row_.find(at => at !== undefined);
      const same = n && ownerOf(start) === ownerOf(elements.byLane[n - 1].find(at => at !== undefined));
      made.push(row(make("th", same ? "" : n ? `${placeName(start)}:${type}` : title(start)), ...lanesOf(k => at(row_[k], k))));
    });
    const loose = from ? [] : elements.loose.slice(0, 512);
    for (let n = 0; n < loose.length; n += 16) made.push(row(make("th", n ? "" : title(base)), ...loose.slice(n, n + 16).map(place => at(place, null))));
    return made;
  };
  const tables = [];
  for (let from = 0; from < Math.max(1, lanes) && all.length; from += 16) {
    const to = Math.min(lanes, from + 16);
    const heads = Array.from({ length: to - from }, (_, n) => make("th" + picked(from + n), lanes > 1 ? "lane " + (from + n) : ""));
    tables.push(make("table", {}, row(make("th"), ...heads), ...all.flatMap(one => rowsOf(one, from, to))));
  }
  show("operands", ...tables);
}

// The type that elements are shown with: payloads have none of their own, and take that of their variable.
function typeOf(operand, base) {
  const owner = ownerOf(base);
  if (/^(source|destination|the predicate)/.test(operand.operand)) return operand.type;
  if (owner && sizes[owner.type] === sizes[operand.type]) return owner.type;
  return operand.type === "ud" ? "raw" : operand.type;
}

const linkTo = (page, text) => page ? make("a", { href: page, rel: "noreferrer" }, text) : text;

// The fields of a part of a message, with their bits; each leads to the manual.
function fields(layout, words) {
  const table = make("table.fields", {}, row(make("th", "bits"), make("th", "field"), make("th", "value"), make("th", "meaning")));
  for (const field of layout.fields) {
    const word = words[field.dword];
    if (word === undefined || word === null) continue;
    const width = field.high - field.low + 1;
    const value = width === 32 ? word >>> 0 : (word >>> field.low) & (2 ** width - 1);
    const where = (words.length > 1 ? field.dword + "." : "") + (width > 1 ? field.high + ":" + field.low : field.low);
    table.append(row(make("td.word", where), make("td.word", linkTo(layout.page, field.name)), make("td" + (value ? ".read" : ""), hex(value)), make("td.wide", field.meaning)));
  }
  return table;
}

function drawMessages(step, instruction, { before }) {
  const all = (instruction.messages || []).map((message, n) => {
    const sent = (step.sent || [])[n] || {};
    const parts = sent.parts && sent.parts.length ? sent.parts : message.parts;
    const values = (sent.values || []).slice();
    const made = make("details.message", n || instruction.messages.length > 4 ? {} : { open: "" }, make("summary", make("code", message.title)));
    for (const part of parts) {
      const layout = layouts[part.layout];
      if (!layout) continue;
      made.append(make("h3", `${layout.name}: ${part.words.map(word => hex(word, 8)).join(" ")}`, make("span.dim", " · ", linkTo(layout.page, layout.source))),
        fields(layout, part.words));
    }
    (message.sums || []).forEach(sum => made.append(make("p.dim", sum)));
    const payload = make("table.payload", {}, row(make("th", "register"), make("th", "bytes"), make("th", "from"), make("th", "holds")));
    const decoded = [];
    message.registers.forEach((register, number) => {
      const words = [];
      let offset = 0;
      register.pieces.forEach((piece, k) => {
        let holds = "";
        if (piece.at !== undefined) {
          const bytes = before.slice(piece.at, piece.at + piece.bytes);
          for (let i = 0; i + 4 <= bytes.length; i += 4) words[(offset + i) / 4] = new DataView(bytes.buffer).getUint32(i, true);
          holds = Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => hex(words[offset / 4 + i] || 0)).slice(0, 16).join(" ") || bytesText(bytes);
        } else {
          const value = piece.computed ? values.shift() : piece.value;
          if (value !== undefined && value !== null) { words[offset / 4] = value; holds = hex(value); }
        }
        payload.append(row(make("td.word", k ? "" : `${number} ${register.part}`), make("td", `${offset}–${offset + piece.bytes - 1}`),
          make("td.word", piece.text), make("td.wide", holds)));
        offset += piece.bytes;
      });
      const layout = layouts[register.layout];
      if (layout) decoded.push(make("details", {}, make("summary", `${register.part}: ${layout.name}`), fields(layout, words)));
    });
    if (message.registers.length) made.append(make("h3", "What is sent"), payload, ...decoded);
    if (message.answer && message.answer.length) {
      const answer = message.answer.slice(0, 64).map(a => row(make("td.word", `bytes ${a.from}–${a.from + a.bytes - 1}`), make("td.word", placeName(a.at))));
      made.append(make("details", {}, make("summary", "What comes back"), make("table", {}, ...answer)));
    }
    return made;
  });
  const native = (instruction.native || []).map(text => make("code.big", text));
  const requests = (step.requests || []).map(text => make("div.dim", text));
  show("messages", ...native, ...requests, ...all);
}

function drawPacking(step, instruction, { after }) {
  const results = (instruction.results || []).flatMap(operand => operand.runs.map(run => run[0]));
  const answers = (instruction.messages || []).flatMap(message => (message.answer || []).map(answer => answer.at));
  const starts = results.length ? results : answers;
  const base = starts.length ? Math.min(...starts) : null;
  const packings = instruction.destination || [], own = packings.length > 1 ? packings.slice(step.packing || 0).slice(0, 1) : packings;
  show("packing", ...own.flatMap(packing => {
    const table = make("table", {}, row(make("th", "bytes"), make("th", "what"), make("th", "holds")));
    for (const part of packing.rows.slice(0, 512)) {
      const held = base === null ? "" : bytesText(after.slice(base + part.first, Math.min(base + part.last + 1, base + part.first + 32)));
      table.append(make(part.gap ? "tr.gap" : "tr", {}, make("td", `${part.first}–${part.last}`), make("td.word", part.what), make("td.wide", held)));
    }
    return [...(packing.when ? [make("h3", packing.when)] : []), table];
  }));
}

// ---- Surfaces ----

// The image of a surface after a step: a canvas with a pixel for each texel.
function imageOf(surface, number) {
  if (!surface.canvas) {
    surface.canvas = make("canvas", { width: surface.shown[0], height: surface.shown[1] });
    surface.drawn = -1;
  }
  if (surface.loading) return surface.canvas;
  if (!surface.image) {
    surface.loading = true;
    const image = new Image();
    image.onload = () => { surface.loading = false; surface.image = image; draw(); };
    image.src = surface.picture;
    return surface.canvas;
  }
  const context = surface.canvas.getContext("2d");
  if (surface.drawn < 0 || number < surface.drawn) { context.drawImage(surface.image, 0, 0); surface.next = 0; }
  for (; surface.next < surface.writes.length && surface.writes[surface.next][0] <= number; surface.next++) {
    const [, x, y, colours] = surface.writes[surface.next];
    for (let i = 0; i < colours.length; i += 6) {
      context.fillStyle = "#" + colours.substr(i, 6);
      context.fillRect(x - surface.origin[0] + i / 6, y - surface.origin[1], 1, 1);
    }
  }
  surface.drawn = number;
  return surface.canvas;
}

// What a step touched of a surface: [column, row, columns, lane, kind].
function touchedOf(step, surface) {
  const touched = [];
  for (const texel of step.texels || [])
    if (texel.surface === surface.index && texel.at && (texel.level || 0) === surface.level && (texel.slice || 0) === surface.slice)
      touched.push([texel.at[0], texel.at[1], 1, texel.lane, "read"]);
  for (const access of step.memory || []) {
    if (access.surface !== surface.index) continue;
    for (const [of, , spot] of access.places) {
      if (spot.texel) {
        const [u, v, slice, level] = spot.texel;
        if (slice === surface.slice && level === surface.level) touched.push([u, v, 1, of, access.kind]);
      } else if (spot.block) {
        const [bytes, across] = surface.cell;
        const from = Math.floor(spot.block[0] / bytes) * across;
        touched.push([from, spot.block[1], Math.max(1, Math.ceil(access.bytes / bytes) * across), of, access.kind]);
      }
    }
  }
  return touched;
}

// The weights of the texels that are shown: of the lane that is picked, or of the only one that took some.
function weightsOf(step, surface) {
  const weights = new Map(), of = (step.texels || []).filter(t => t.surface === surface.index && t.at && (t.level || 0) === surface.level && (t.slice || 0) === surface.slice);
  const only = lane === null && of.every(t => t.lane === of[0].lane);
  for (const texel of of)
    if (only || texel.lane === lane) weights.set(String(texel.at), (weights.get(String(texel.at)) || 0) + texel.weight);
  return weights;
}

// A part of a surface, enlarged, with frames around the texels that were touched and their weights.
function enlarged(surface, [x0, y0, width, height], zoom, touched, weights) {
  const canvas = make("canvas.picture", { width: width * zoom, height: height * zoom, role: "img", "aria-label": "Surface " + surface.name });
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = false;
  context.drawImage(imageOf(surface, current), x0, y0, width, height, 0, 0, width * zoom, height * zoom);
  const isOwn = of => lane === null || of === null || of === lane;
  const place = (x, y) => [x - surface.origin[0] - x0, y - surface.origin[1] - y0];
  // Frames of the lane that is picked lie over the others.
  for (const [x, y, columns, of, kind] of [...touched].sort((a, b) => isOwn(a[3]) - isOwn(b[3]))) {
    const own = isOwn(of), at = place(x, y);
    context.strokeStyle = !own ? "rgba(128,128,128,.6)" : kind === "read" ? "#1e90ff" : "#e0457b";
    context.lineWidth = own ? 2 : 1;
    context.strokeRect(at[0] * zoom + 1, at[1] * zoom + 1, Math.max(1, columns * zoom - 2), Math.max(1, zoom - 2));
  }
  for (const [texel, weight] of zoom < 26 ? [] : weights) {
    const [x, y] = texel.split(",").map(Number), at = place(x, y);
    const [r, g, b] = surface.canvas.getContext("2d").getImageData(x - surface.origin[0], y - surface.origin[1], 1, 1).data;
    context.fillStyle = r + g + b > 382 ? "#000" : "#fff";
    context.font = "11px ui-monospace, monospace";
    context.textAlign = "center";
    context.fillText(weight.toFixed(2).replace(/^0/, "").replace(/\.00$/, ""), (at[0] + .5) * zoom, (at[1] + .5) * zoom + 4);
  }
  canvas.onmousemove = event => {
    const scale = canvas.width / canvas.clientWidth / zoom, x = x0 + Math.floor(event.offsetX * scale), y = y0 + Math.floor(event.offsetY * scale);
    const [r, g, b] = surface.canvas.getContext("2d").getImageData(x, y, 1, 1).data;
    canvas.title = `(${x + surface.origin[0]}, ${y + surface.origin[1]}) ${r} ${g} ${b}`;
  };
  return canvas;
}

function drawSurface(surface, step, touched) {
  const [width, height] = surface.shown, zoom = Math.max(1, Math.min(48, Math.floor(Math.min(560 / width, 360 / height))));
  const weights = weightsOf(step, surface), pictures = [enlarged(surface, [0, 0, width, height], zoom, touched, weights)];
  if (touched.length && zoom < 26) {
    const inside = (value, size) => Math.max(0, Math.min(size, value));
    const own = touched.filter(([, , , of]) => lane === null || of === null || of === lane);
    const columns = (own.length ? own : touched).flatMap(([x, , count]) => [x, x + count]).map(x => x - surface.origin[0]);
    const rows_ = (own.length ? own : touched).flatMap(([, y]) => [y, y + 1]).map(y => y - surface.origin[1]);
    const [x0, x1] = [inside(Math.min(...columns) - 2, width), inside(Math.max(...columns) + 2, width)];
    const [y0, y1] = [inside(Math.min(...rows_) - 2, height), inside(Math.max(...rows_) + 2, height)];
    const near = Math.min(32, Math.floor(Math.min(560 / (x1 - x0), 360 / (y1 - y0))));
    if (near >= 2 * zoom) pictures.push(make("div.dim", `columns ${x0 + surface.origin[0]} to ${x1 + surface.origin[0] - 1}, rows ${y0 + surface.origin[1]} to ${y1 + surface.origin[1] - 1}`),
      enlarged(surface, [x0, y0, x1 - x0, y1 - y0], near, touched, weights));
  }
  const part = width < surface.size[0] || height < surface.size[1] ? `, shown from ${surface.origin.join(", ")}` : "";
  const level = (surface.level ? ` level ${surface.level}` : "") + (surface.slice ? ` slice ${surface.slice}` : "");
  const range = surface.range ? ` · ${shortest(Math.fround(surface.range[0]))} is black, ${shortest(Math.fround(surface.range[1]))} white` : "";
  return [make("h3", `${surface.name.replaceAll("`", "")}${level} · ${surface.format} ${surface.size.join("×")}${part}${range}`), ...pictures];
}

function drawSurfaces(step) {
  const made = [], others = [];
  for (const surface of surfaces) {
    const touched = touchedOf(step, surface);
    if (touched.length) made.push(...drawSurface(surface, step, touched)); else others.push(surface);
  }
  const taken = (step.texels || []).filter(texel => lane === null || texel.lane === lane);
  if (taken.length) {
    const number = value => shortest(Math.fround(value));
    const table = make("table.texels", {}, row(...["lane", "texel", "weight", "red", "green", "blue", "alpha"].map(text => make("th", text))));
    for (const texel of taken.slice(0, 64))
      table.append(row(make("td", String(texel.lane)), make("td.word", texel.at ? texel.at.join(", ") : "border colour"),
        make("td", number(texel.weight)), ...texel.rgba.map(value => make("td", number(value)))));
    made.push(make("h3", "Texels and weights" + (lane === null ? "" : " of lane " + lane)),
      ...(lane === null && taken.some(texel => texel.lane !== taken[0].lane) ? [make("p.dim", "A lane that is picked (l) has its weights in the picture.")] : []), table);
    if (taken.length > 64) made.push(make("p.dim", `${taken.length - 64} more: pick a lane`));
  }
  if (others.length)
    made.push(make("details", {}, make("summary.dim", "Surfaces that this step does not touch"), ...others.flatMap(surface => drawSurface(surface, step, []))));
  show("surfaces", ...made);
}

function drawMemory(step) {
  const spotText = spot => spot.byte ?? (spot.texel ? `(${spot.texel[0]}, ${spot.texel[1]})` : `byte ${spot.block[0]}, row ${spot.block[1]}`);
  const all = (step.memory || []).map(access => {
    const places = access.places.filter(place => lane === null || place[0] === null || place[0] === lane);
    const texts = places.slice(0, 64).map(([of, inside, spot]) =>
      (of === null ? "" : of + ": ") + spotText(spot) + (inside < access.bytes ? ` (${inside} inside)` : ""));
    return make("details", places.length <= 32 ? { open: "" } : {}, make("summary", `${access.kind} ${access.space.replaceAll("`", "")}: ${places.length} × ${access.bytes} bytes`),
      make("div.mono", texts.join("   ") + (places.length > 64 ? " …" : "")));
  });
  if (step.left_out) all.push(make("p.dim", "More was touched than there is room for."));
  show("memory", ...all);
}

// ---- Registers ----

const views = new Map();

// A predicate, lane by lane.
function drawPredicate(variable, { before, after }) {
  const table = make("table", {});
  for (let from = 0; from < variable.elements; from += 16) {
    const lanes = Array.from({ length: Math.min(16, variable.elements - from) }, (_, n) => from + n);
    const bit = (registers, k) => bitsOf(registers, variable.at) >>> k & 1;
    const cells = lanes.map(k => make("td" + (bit(before, k) === bit(after, k) ? "" : ".new"), { title: "before " + bit(before, k) }, String(bit(after, k))));
    table.append(row(make("th", "lanes"), ...lanes.map(k => make("th", String(k)))), row(make("th", ""), ...cells));
  }
  return make("div.register", { "data-name": variable.name }, make("h3", variable.name), table);
}

function drawRegister(variable, step, { before, after }) {
  if (variable.class === "predicate") return drawPredicate(variable, { before, after });
  const type = views.get(variable.name) || variable.type, size = sizes[type] || 4;
  const perRow = Math.max(1, Math.min(16, Math.floor((program.register_bytes || 32) / size)));
  const table = make("table", {});
  const most = Math.min(variable.bytes, 4096);
  for (let at = 0; at < most; at += perRow * size) {
    const cells = [];
    for (let k = at; k < Math.min(at + perRow * size, most); k += size) {
      const [old, now] = [before, after].map(registers => element(registers, variable.at + k, type));
      cells.push(make("td" + (old === now ? "" : ".new"), { title: `${variable.name}.${k}` + (old === now ? "" : ", before " + old) }, now));
    }
    table.append(row(make("th", "+" + at), ...cells));
  }
  const types = make("select", { "aria-label": "Type of " + variable.name, onchange: event => { views.set(variable.name, event.target.value); draw(); } });
  for (const name of Object.keys(sizes)) {
    const option = make("option", name);
    option.selected = name === type;
    types.append(option);
  }
  const rest = variable.bytes > most ? [make("p.dim", `${variable.bytes - most} bytes more`)] : [];
  return make("div.register", { "data-name": variable.name }, make("h3", variable.name + " ", types), table, ...rest);
}

function drawRegisters(step, instruction, registers) {
  const wanted = $("filter").value.trim().toLowerCase();
  const touched = new Set((step.writes || []).map(([at]) => at));
  for (const operand of (instruction.reads || []).concat(step.reads || [], instruction.results || []))
    if (!operand.constant) for (const [at] of operand.runs) touched.add(at);
  const isTouched = v => !v.view && [...touched].some(at => at >= v.at && at < v.at + v.bytes);
  const named = v => wanted === "*" ? !v.predefined : v.name.toLowerCase().includes(wanted);
  const chosen = program.variables.filter(v => v.class !== "surface" && v.class !== "sampler" && (wanted ? named(v) : isTouched(v)));
  const made = chosen.slice(0, 40).map(variable => drawRegister(variable, step, registers));
  if (chosen.length > 40) made.push(make("p.dim", `${chosen.length - 40} more`));
  $("registers").querySelector(":scope > div").replaceChildren(...made);
}

// ---- Threads over time ----

function drawTimeline() {
  const canvas = $("timeline"), threads = end.threads.length;
  const height = Math.max(2, Math.min(12, Math.floor(120 / Math.max(1, threads))));
  const width = canvas.clientWidth || 600, tall = Math.min(96, Math.max(8, height * threads));
  const ratio = window.devicePixelRatio || 1;
  canvas.style.height = tall + "px";
  canvas.width = width * ratio;
  canvas.height = tall * ratio;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue(name);
  const x = step => (step - 1) / Math.max(1, end.steps) * width, y = place => place / threads * tall;
  const thick = Math.max(1, tall / Math.max(1, threads) - 1);
  context.fillStyle = colour("--off");
  context.fillRect(0, 0, width, tall);
  context.fillStyle = colour("--accent");
  for (const [first, count, place] of end.spans) context.fillRect(x(first), y(place), Math.max(.5, x(first + count) - x(first)), thick);
  context.fillStyle = colour("--bad");
  for (const [step, place] of end.barriers) context.fillRect(x(step), y(place), 3, thick);
  context.fillStyle = colour("--fg");
  context.fillRect(Math.min(width - 2, x(current)), 0, 2, tall);
}

// What is under the pointer.
$("timeline").onmousemove = event => {
  const step = stepUnder(event), place = Math.min(end.threads.length - 1, Math.floor(event.offsetY / event.target.clientHeight * end.threads.length));
  const thread = end.threads[place];
  if (thread) event.target.title = `step ${step}; this row is thread ${thread.index}, number ${thread.local} of group ${thread.group.join(",")}; red marks are barriers`;
};
const stepUnder = event => Math.max(1, Math.min(end.steps, 1 + Math.floor(event.offsetX / event.target.clientWidth * end.steps)));

// ---- Moving ----

let shownLine = null;

function draw() {
  if (!end.steps) return;
  const step = stepAt(current), instruction = program.instructions[step.op], registers = registersAt(current);
  drawInstruction(step, instruction);
  drawOperands(step, instruction, registers);
  drawMessages(step, instruction, registers);
  drawPacking(step, instruction, registers);
  drawSurfaces(step);
  drawMemory(step);
  drawRegisters(step, instruction, registers);
  drawTimeline();
  if (shownLine) shownLine.classList.remove("here");
  shownLine = instruction.line ? rows[instruction.file || 0][instruction.line - 1] : null;
  if (shownLine) { shownLine.classList.add("here"); scrollSource(shownLine); }
  $("where").textContent = `step ${current} of ${end.steps}`;
  $("slider").value = current;
  const problem = [];
  if (end.problem && current === end.steps) problem.push(end.problem);
  if (end.left_out && current === end.steps) problem.push(`${end.left_out} instructions more ran; --trace-limit and --thread choose others.`);
  $("problem").textContent = problem.join("\n");
  $("problem").hidden = !problem.length;
  below();
}

function go(step) {
  const to = Math.max(1, Math.min(end.steps, step));
  if (to === current) return;
  current = to;
  history.replaceState(null, "", "#step=" + current);
  draw();
}

// The nearest step in a direction for which something holds; all the way round, if asked.
function seek(direction, holds, around = false) {
  for (let n = current + direction; n >= 1 && n <= end.steps; n += direction) if (holds(stepAt(n))) return go(n);
  if (around) for (let n = 1; n < current; n++) if (holds(stepAt(n))) return go(n);
}

const opsOf = (file, line) => new Set(program.instructions.flatMap((i, op) => i.line === line && (i.file || 0) === file ? [op] : []));
function goToLine(file, line) {
  const ops = opsOf(file, line);
  seek(1, step => ops.has(step.op), true);
}

// The source stays below the bar.
function below() {
  document.documentElement.style.setProperty("--bar", document.querySelector("header").offsetHeight + "px");
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  if (current) drawTimeline();
}

const keys = {
  ArrowRight: event => go(current + (event.shiftKey ? 10 : 1)),
  ArrowLeft: event => go(current - (event.shiftKey ? 10 : 1)),
  Home: () => go(1),
  End: () => go(end.steps),
  PageDown: () => { const { op } = stepAt(current); seek(1, step => step.op === op); },
  PageUp: () => { const { op } = stepAt(current); seek(-1, step => step.op === op); },
  ArrowDown: () => { const { thread } = stepAt(current); seek(1, step => step.thread === thread); },
  ArrowUp: () => { const { thread } = stepAt(current); seek(-1, step => step.thread === thread); },
  m: () => seek(1, step => (program.instructions[step.op].messages || []).length > 0 || (step.requests || []).length > 0),
  b: () => { const next = end.barriers.find(([step]) => step > current); if (next) go(next[0]); },
  l: () => { const count = program.instructions[stepAt(current).op].lanes; lane = lane === null || lane + 1 >= count ? 0 : lane + 1; draw(); },
  Escape: () => { lane = null; draw(); },
  d: () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
  "/": () => $("filter").focus(),
  g: () => { $("line").value = ""; $("line").focus(); },
  "?": () => $("keys").showModal(),
};

document.addEventListener("keydown", event => {
  const typing = event.target.matches("#filter, #line, select") || $("keys").open;
  if (event.key === "Escape" && event.target.matches("#filter, #line")) event.target.blur();
  const act = keys[event.key];
  if (!act || typing || event.ctrlKey || event.metaKey || event.altKey || !end.steps) return;
  event.preventDefault();
  act(event);
});
$("first").onclick = () => go(1);
$("back").onclick = () => go(current - 1);
$("next").onclick = () => go(current + 1);
$("last").onclick = () => go(end.steps);
$("help").onclick = keys["?"];
$("theme").onclick = keys.d;
$("slider").oninput = event => go(+event.target.value);
$("filter").oninput = draw;
$("line").onchange = event => { goToLine(0, +event.target.value); event.target.blur(); };
$("timeline").onclick = event => go(stepUnder(event));
addEventListener("resize", () => { drawTimeline(); below(); });
addEventListener("hashchange", fromHash);

function fromHash() {
  const asked = /step=(\d+)/.exec(location.hash);
  if (asked) go(+asked[1]);
  return asked;
}

setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
$("kernel").textContent = [program.kernel, program.platform].filter(text => text).join(" · ");
$("slider").max = Math.max(1, end.steps);
drawSource();
if (!end.steps) {
  $("where").textContent = "nothing ran";
  $("problem").textContent = end.problem || "";
  $("problem").hidden = !end.problem;
} else if (!fromHash()) {
  const line = +document.body.dataset.line;
  current = 1;
  if (line && !opsOf(0, line).has(stepAt(1).op)) goToLine(0, line);
  draw();
}
