// The page of `docent inspect`. Whatever servers say is put in as text, never as markup.
"use strict";

const at = (id) => document.getElementById(id);
const state = { servers: [], offers: {}, server: null, chosen: null, running: null };
const KINDS = [["tools", "Tools"], ["resources", "Resources"], ["templates", "Templates"], ["prompts", "Prompts"]];
const LINES_MAX = 1000;

/** An element with properties and children; texts become text nodes. */
function el(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const pretty = (value) => JSON.stringify(value, null, 2);

async function get(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function post(path, body, signal) {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

// Servers.

async function loadServers() {
  state.servers = await get("api/servers");
  const rows = state.servers.map((server) => {
    const count = server.tools === null ? null : `${server.tools} ${server.tools === 1 ? "tool" : "tools"}`;
    const took = server.startMs === null ? null : `${server.startMs} ms`;
    const facts = [server.state, server.note?.split("\n")[0], server.revision, count, took].filter(Boolean);
    return row(server.name, facts.join(" · "), state.server === server.name, server.state, () => {
      state.server = state.server === server.name ? null : server.name;
      loadServers();
      showOffers();
      if (server.note) showNote(server);
    });
  });
  at("servers").replaceChildren(...keepingFocus(at("servers"), rows));
}

function row(title, facts, current, kind, onclick) {
  return el("button", { class: `row ${kind}`, type: "button", "data-key": title, "aria-current": String(current), onclick },
    kind ? el("span", { class: "dot", "aria-hidden": "true" }) : null, title, el("small", {}, facts));
}

/** Rows are made anew; whoever was in one of them stays there. */
function keepingFocus(list, rows) {
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  if (focused !== null) queueMicrotask(() => rows.find((one) => one.dataset.key === focused)?.focus());
  return rows;
}

function showNote(server) {
  const detail = at("detail");
  detail.replaceChildren(el("h2", {}, server.name), el("pre", {}, server.note));
}

// What they offer.

async function loadOffers() {
  state.offers = await get("api/offers");
  showOffers();
}

function showOffers() {
  const words = at("filter").value.toLowerCase();
  const fits = (offer) => (state.server === null || offer.server === state.server)
    && `${offer.name} ${offer.about ?? ""}`.toLowerCase().includes(words);
  const rows = [];
  for (const [kind, title] of KINDS) {
    const found = (state.offers[kind] ?? []).filter(fits);
    if (found.length === 0) continue;
    rows.push(el("div", { class: "group" }, `${title} (${found.length})`));
    for (const offer of found) {
      const key = `${kind} ${offer.name}`;
      const one = row(kind === "tools" || kind === "prompts" ? offer.own : offer.name,
        offer.about ?? offer.server, state.chosen === key, "", () => choose(kind, offer));
      one.dataset.key = key;
      rows.push(one);
    }
  }
  if (rows.length === 0) rows.push(el("p", { class: "quiet" }, "Nothing is offered, or nothing fits."));
  at("offers").replaceChildren(...keepingFocus(at("offers"), rows));
}

// One of them.

function choose(kind, offer) {
  state.chosen = `${kind} ${offer.name}`;
  state.running?.abort();
  showOffers();
  const parts = [el("h2", {}, `${offer.server}: ${offer.own}`)];
  if (offer.signature) parts.push(el("code", { class: "signature" }, offer.signature));
  if (offer.about) parts.push(el("div", { class: "about" }, offer.about));
  const result = el("div", { "aria-live": "polite" });
  if (kind === "tools") {
    const text = pretty(sample(offer.definition.inputSchema, 0));
    parts.push(...form("Arguments", text, "Call", result, (typed, signal) =>
      post("api/call", { name: offer.name, arguments: JSON.parse(typed || "{}") }, signal)));
  } else if (kind === "prompts") {
    const names = (offer.definition.arguments ?? []).map((one) => [one.name, ""]);
    parts.push(...form("Arguments", pretty(Object.fromEntries(names)), "Get", result, (typed, signal) =>
      post("api/prompt", { name: offer.name, arguments: JSON.parse(typed || "{}") }, signal)));
  } else {
    parts.push(...form("Address", offer.name, "Read", result, (typed, signal) =>
      post("api/read", { name: typed.trim() }, signal)));
  }
  parts.push(result);
  if (offer.definition) {
    parts.push(el("details", {}, el("summary", {}, "Definition"), el("pre", {}, pretty(offer.definition))));
  }
  const detail = at("detail");
  detail.replaceChildren(...parts);
  // Where everything is one column, it would be below what can be seen.
  if (detail.offsetLeft === 0) detail.scrollIntoView({ block: "start" });
  else detail.scrollTop = 0;
}

/** A field to fill in, a button, and Ctrl+Enter for it. */
function form(label, text, verb, result, run) {
  const typed = el("textarea", { spellcheck: "false", "aria-label": label });
  typed.value = text;
  const go = el("button", { class: "main", type: "button", onclick: () => start() }, verb);
  const stop = el("button", { type: "button", onclick: () => state.running?.abort() }, "Stop");
  stop.hidden = true;
  const note = el("span", { class: "quiet" }, "Ctrl+Enter");
  async function start() {
    state.running?.abort();
    const control = new AbortController();
    state.running = control;
    stop.hidden = false;
    note.textContent = "running";
    const since = performance.now();
    try {
      const answer = await run(typed.value, control.signal);
      showResult(result, answer);
      note.textContent = `${Math.round(performance.now() - since)} ms`;
    } catch (error) {
      const stopped = error.name === "AbortError";
      note.textContent = stopped ? "stopped" : "Ctrl+Enter";
      if (!stopped) result.replaceChildren(el("pre", { class: "bad" }, error.message));
    } finally {
      if (state.running === control) stop.hidden = true;
    }
  }
  typed.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      start();
    }
  });
  return [el("label", { class: "quiet" }, label), typed, el("div", { class: "actions" }, go, stop, note)];
}

function showResult(into, answer) {
  if (answer.error !== undefined) {
    into.replaceChildren(el("pre", { class: "bad" }, answer.error));
    return;
  }
  const { result } = answer;
  const parts = [];
  if (result.isError) parts.push(el("p", { class: "bad" }, "The tool says that it failed."));
  for (const block of result.content ?? []) parts.push(shown(block));
  for (const one of result.contents ?? []) parts.push(shown(one));
  for (const message of result.messages ?? []) {
    parts.push(el("p", { class: "quiet" }, message.role), shown(message.content));
  }
  parts.push(el("details", {}, el("summary", {}, "As JSON"), el("pre", {}, pretty(result))));
  into.replaceChildren(...parts);
}

/** Pictures that browsers draw and that hold nothing else. */
const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

function shown(block) {
  if (typeof block.text === "string") return el("pre", {}, block.text);
  if (block.type === "resource" && block.resource) {
    return el("div", {}, el("p", { class: "quiet" }, block.resource.uri ?? ""), shown(block.resource));
  }
  if (block.type === "resource_link" && typeof block.uri === "string") {
    return el("p", {}, el("button", { type: "button", onclick: () => visit(block) }, block.uri), " ",
      el("span", { class: "quiet" }, block.description ?? block.name ?? ""));
  }
  const data = block.data ?? block.blob;
  if (typeof data === "string") {
    const kind = block.mimeType ?? block.type ?? "data";
    const size = `${kind}, ${Math.floor(data.length * 3 / 4)} bytes`;
    if (!PICTURES.includes(kind)) return el("pre", {}, size);
    return el("p", {}, el("img", { src: `data:${kind};base64,${data}`, alt: size, title: size }));
  }
  return el("pre", {}, pretty(block));
}

/** Goes to a resource that a result names, listed or not. */
function visit(link) {
  const listed = (state.offers.resources ?? []).find((one) => one.name === link.uri);
  choose("resources", listed ?? { name: link.uri, own: link.name ?? link.uri, server: "resource", about: link.description });
}

/** A value that a schema would take, to begin with: what is required, and what has a default. */
function sample(schema, depth) {
  if (schema === null || typeof schema !== "object" || depth > 4) return null;
  if ("default" in schema) return schema.default;
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const ways = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(ways) && ways.length > 0) return sample(ways[0], depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object" || schema.properties) {
    const needed = Array.isArray(schema.required) ? schema.required : [];
    const all = Object.entries(schema.properties ?? {});
    const wanted = all.filter(([name, one]) => needed.includes(name) || (one && typeof one === "object" && "default" in one));
    return Object.fromEntries(wanted.map(([name, one]) => [name, sample(one, depth + 1)]));
  }
  return { string: "", integer: 0, number: 0, boolean: false, array: [] }[type] ?? null;
}

// Questions.

/** Those that are gone go, those that are new come; what is being filled in stays as it is. */
async function loadQuestions() {
  const open = await get("api/questions");
  const there = new Map([...at("questions").children].map((one) => [Number(one.dataset.question), one]));
  for (const asked of open) {
    if (!there.delete(asked.question)) at("questions").append(question(asked));
  }
  for (const gone of there.values()) gone.remove();
}

function question(asked) {
  const form = asked.schema ? fields(asked.schema) : { rows: [], value: () => undefined };
  // What is no flat form is answered as JSON.
  const typed = form ? null : el("textarea", { spellcheck: "false", "aria-label": "The answer, as JSON" });
  if (typed) typed.value = pretty(sample(asked.schema, 0));
  const wrong = el("span", { class: "bad", role: "alert" });
  const answer = async (action) => {
    try {
      const content = action === "accept" ? (form ? form.value() : JSON.parse(typed.value)) : undefined;
      await post("api/answer", { question: asked.question, action, content });
    } catch (error) {
      wrong.textContent = error.message;
    }
  };
  const button = (text, action) => el("button", { type: "button", onclick: () => answer(action) }, text);
  const submit = (event) => {
    event.preventDefault();
    answer("accept");
  };
  return el("form", { "data-question": asked.question, onsubmit: submit },
    el("h3", {}, `${asked.server} asks`), el("div", { class: "about" }, asked.message ?? ""),
    asked.url ? el("pre", {}, asked.url) : null,
    el("div", { class: "fields" }, ...(form?.rows ?? []), typed),
    asked.schema ? el("details", {}, el("summary", {}, "Schema"), el("pre", {}, pretty(asked.schema))) : null,
    el("div", { class: "actions" }, el("button", { class: "main" }, asked.url ? "I have been there" : "Accept"),
      button("Decline", "decline"), button("Cancel", "cancel"), wrong));
}

// Traffic.

const requests = new Map();
const states = new Map();
const WORDS = { changed: "the lists changed" };

function line(event) {
  const time = new Date(event.time).toISOString().slice(11, 23);
  const cell = (text, kind = "") => el("span", { class: kind, title: text }, text);
  const details = event.arguments ? JSON.stringify(event.arguments) : "";
  const took = cell("", "took");
  const made = el("li", { class: event.kind }, cell(time), cell(event.server ?? ""),
    cell(event.method ?? WORDS[event.kind] ?? event.kind), cell([event.name, details].filter(Boolean).join("  ")), took);
  if (event.kind === "request") {
    took.textContent = "…";
    requests.set(event.id, took);
  }
  return made;
}

function outcome(event) {
  const took = requests.get(event.of);
  if (!took) return;
  requests.delete(event.of);
  const { bytes, error, failed, cancelled } = event.outcome;
  const said = cancelled ? "taken back" : failed ? "failed" : error !== undefined ? `error ${error}` : `${bytes} bytes`;
  took.textContent = `${said}, ${(event.took_us / 1000).toFixed(1)} ms`;
  if (bytes === undefined) took.classList.add("wrong");
}

function show(event) {
  if (event.kind === "answer") return outcome(event);
  if (event.kind === "gap") return append(el("li", { class: "gap" }, `${event.missed} events were missed`));
  if (event.kind === "question" || event.kind === "answered") soon(loadQuestions);
  if (event.kind === "state" || event.kind === "changed") soon(loadServers);
  if (event.kind === "changed") soon(loadOffers);
  if (event.kind === "state") soon(loadOffers);
  if (event.kind === "answered") return;
  // Lists change together, and once is enough to say so; a server that is tried again is no news.
  if (event.kind === "changed" && at("traffic").lastElementChild?.className === "changed") return;
  if (event.kind === "state" && states.get(event.server) === event.name) return;
  if (event.kind === "state") states.set(event.server, event.name);
  append(line(event));
}

function append(made) {
  const list = at("traffic");
  list.append(made);
  while (list.childElementCount > LINES_MAX) list.firstElementChild.remove();
  if (at("follow").checked) list.scrollTop = list.scrollHeight;
}

/** Does something once, however often it is wanted within a moment. */
const waiting = new Set();
function soon(work) {
  if (waiting.has(work)) return;
  waiting.add(work);
  setTimeout(() => {
    waiting.delete(work);
    work().catch((error) => status("lost", error.message));
  }, 100);
}

function status(kind, text) {
  at("link").className = kind;
  at("link").textContent = text;
}

function listen() {
  const events = new EventSource("api/events");
  events.onopen = () => {
    // What was kept comes again.
    at("traffic").replaceChildren();
    requests.clear();
    states.clear();
    status("open", "live");
    for (const work of [loadServers, loadOffers, loadQuestions]) soon(work);
  };
  events.onerror = () => status("lost", "docent has ended, or cannot be reached");
  events.onmessage = (message) => show(JSON.parse(message.data));
}

at("filter").addEventListener("input", showOffers);
at("clear").addEventListener("click", () => at("traffic").replaceChildren());
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "/" && !typing) {
    event.preventDefault();
    at("filter").focus();
  } else if (event.key === "Escape" && document.activeElement === at("filter")) {
    at("filter").value = "";
    showOffers();
  } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && document.activeElement?.classList.contains("row")) {
    const rows = [...document.activeElement.parentElement.querySelectorAll(".row")];
    const next = rows[rows.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)];
    if (next) {
      event.preventDefault();
      next.focus();
    }
  }
});
listen();
