// What a page does beyond links and forms. Without it every page works: files are sent by the form, boxes are links.
"use strict";
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  document.documentElement.classList.add("script");

  for (const select of all("[data-submit]")) select.addEventListener("change", () => select.form.submit());

  function make(tag, attributes = {}, ...inner) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...inner);
    return node;
  }

  // Copying a citation

  async function copy(button, text) {
    await navigator.clipboard.writeText(text).catch(() => {
      const area = make("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    });
    const label = button.lastChild, before = label.textContent;
    label.textContent = button.dataset.done;
    button.setAttribute("aria-live", "polite");
    setTimeout(() => { label.textContent = before; }, 2000);
  }
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy], [data-cite]");
    if (!button) return;
    if (button.dataset.copy) return copy(button, button.dataset.copy);
    const answer = await fetch(`/api/v1/chunks/${button.dataset.cite}`);
    if (answer.ok) copy(button, (await answer.json()).citation.text);
  });

  // A document: boxes and chunks, both ways

  const split = $("#split");
  if (split) {
    const chunks = all(".chunk", split);
    const of = (id) => all(`[data-chunk="${CSS.escape(id)}"]`, split);
    const choose = (id, { scroll = true, focus = false } = {}) => {
      for (const node of all(".on, .chunk[aria-current]", split)) { node.classList.remove("on"); node.removeAttribute("aria-current"); }
      for (const node of of(id)) {
        if (node.matches(".chunk")) {
          node.setAttribute("aria-current", "true");
          if (focus) node.focus({ preventScroll: true });
        } else node.classList.add("on");
        if (scroll) node.scrollIntoView({ block: "nearest", behavior: "smooth" });
      }
    };
    split.addEventListener("click", (event) => {
      const hit = event.target.closest("[data-chunk]");
      if (!hit || event.target.closest("button, summary, .acts a, .chunk .cells")) return;
      if (hit.matches("a")) event.preventDefault();
      choose(hit.dataset.chunk, { focus: !hit.matches(".chunk") });
    });
    split.addEventListener("focusin", (event) => { if (event.target.matches(".chunk")) choose(event.target.dataset.chunk); });
    document.addEventListener("keydown", (event) => {
      if (event.target.closest("input, select, textarea, [popover], .cells") || event.ctrlKey || event.metaKey || event.altKey) return;
      const at = chunks.findIndex((node) => node.hasAttribute("aria-current"));
      const page = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (page) $(`.pager a[rel=${page}]`)?.click();
      else if (step && chunks.length) choose(chunks[Math.max(0, Math.min(chunks.length - 1, at + step))].dataset.chunk, { focus: true });
      else return;
      event.preventDefault();
    });
    const first = $(".chunk[aria-current]", split) || (location.hash.startsWith("#c-") && $(location.hash, split));
    if (first) choose(first.dataset.chunk, { focus: true });
  }

  // Adding documents

  const form = $("#add");
  if (!form) return;
  const words = form.dataset, input = $("#files"), list = $("#list-of-files"), said = $("#said"), drop = $("#drop");
  let rows = [], current = null;

  const chosen = () => $("input[name=strategy]:checked", form).value;
  const shownOptions = () => { for (const node of all(".options", form)) node.classList.toggle("on", node.dataset.strategy === chosen()); };
  const say = (text) => { said.textContent = text; };
  const faults = JSON.parse(words.faults);  // what the code of an error means, in the language of the page
  const told = (error) => [faults[error.code], error.message].filter(Boolean).join(": ");

  function select(row) {
    current = row;
    for (const one of rows) one.node.toggleAttribute("aria-current", one === row);
    $(`input[name=strategy][value="${CSS.escape(row.strategy)}"]`, form).checked = true;
    for (const card of all(".card", form)) {
      const found = row.suggestions.find((item) => item.strategy === card.dataset.strategy);
      const suits = $(".suits", card);
      suits.hidden = !found;
      card.classList.toggle("best", found !== undefined && found === row.suggestions[0] && found.score > 0);
      card.dataset.best = words.suggested;
      if (!found) continue;
      $("meter", suits).value = found.score;
      $("meter", suits).setAttribute("aria-label", words.suits.replace("%", Math.round(found.score * 100)));
      $(".why", suits).textContent = found.reason;
    }
    shownOptions();
  }

  function badge(row) {
    const icon = $(`.card[data-strategy="${CSS.escape(row.strategy)}"] .icon`, form).cloneNode(true);
    row.badge.className = `badge s-${row.strategy}`;
    row.badge.replaceChildren(icon, row.strategy);
  }

  function draw() {
    $("#chosen").hidden = !rows.length;
    $("#everyone").hidden = rows.length < 2;
    list.replaceChildren(...rows.map((row) => row.node));
    if (rows.length && !rows.includes(current)) select(rows[0]);
  }

  function take(files) {
    for (const file of files) {
      const row = { file, strategy: chosen(), own: false, suggestions: [], badge: make("span") };
      const pick = make("button", { type: "button", class: "pick", dir: "auto" }, file.name);
      const remove = make("button", { type: "button", class: "quiet", "aria-label": words.remove.replace("%", file.name) }, "×");
      row.why = make("small", {}, words.looking);
      row.node = make("li", {}, pick, row.badge, row.why, remove);
      pick.addEventListener("click", () => select(row));
      remove.addEventListener("click", () => { rows = rows.filter((one) => one !== row); draw(); });
      badge(row);
      rows.push(row);
    }
    input.value = "";
    draw();
    look();
  }

  let looking = false, previewing = null;
  async function look() {
    if (looking) return;
    looking = true;
    for (let row; (row = rows.find((one) => !one.looked)); ) {
      row.looked = true;
      await previewing;  // whoever waits for a preview comes before files that are only looked at
      const body = new FormData();
      body.append("files", row.file);
      const answer = await fetch("/api/v1/preview?strategy=auto", { method: "POST", body }).then((got) => got.json()).catch((error) => ({ error }));
      if (answer.error) { row.why.textContent = told(answer.error); row.refused = true; row.why.className = "alarm"; continue; }
      row.suggestions = answer.documents.length ? answer.documents[0].suggestions : [];
      const best = row.suggestions[0];
      if (best && !row.own) { row.strategy = best.strategy; row.why.textContent = `${words.suggested}: ${best.reason}`; badge(row); }
      if (row === current) select(row);
    }
    looking = false;
  }

  for (const name of ["dragover", "dragenter"]) drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer.files); });
  input.addEventListener("change", () => take(input.files));
  form.addEventListener("change", (event) => {
    if (event.target.name !== "strategy") return;
    shownOptions();
    for (const row of $("#for-all").checked ? rows : rows.filter((one) => one === current)) {
      row.strategy = chosen();
      row.own = true;
      const found = row.suggestions.find((item) => item.strategy === row.strategy);
      if (!row.refused) row.why.textContent = found ? found.reason : "";
      badge(row);
    }
  });
  shownOptions();

  function body(row, prefixed) {
    const data = new FormData();
    data.append("files", row.file);
    for (const field of all(`.options[data-strategy="${CSS.escape(row.strategy)}"] [name]`, form)) {
      if (field.value !== "") data.append(prefixed ? field.name : field.name.slice(row.strategy.length + 1), field.value);
    }
    if (prefixed) { data.append("token", form.elements.token.value); data.append("strategy", row.strategy); }
    return data;
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!rows.length) { say(words.none); input.focus(); return; }
    const buttons = all(".buttons button", form);
    for (const button of buttons) button.disabled = true;
    try {
      if (event.submitter?.id === "preview-button") await (previewing = preview(current));
      else await send();
    } finally { for (const button of buttons) button.disabled = false; }
  });

  async function preview(row) {
    const place = $("#preview");
    place.replaceChildren(make("p", { class: "empty", role: "status" }, words.waiting));
    const answer = await fetch("/documents/preview", { method: "POST", body: body(row, true), headers: { "x-part": "preview" } });
    if (answer.ok) place.innerHTML = await answer.text();  // rendered and escaped by the service, as the page itself is
    else place.replaceChildren(make("p", { class: "alarm", role: "alert" }, told((await answer.json()).error)));
    place.focus({ preventScroll: true });
    place.scrollIntoView({ block: "start", behavior: "smooth" });
  }

  async function send() {
    say(words.sending);
    for (const row of [...rows]) {
      const answer = await fetch(`/api/v1/ingest?strategy=${encodeURIComponent(row.strategy)}`, { method: "POST", body: body(row, false) });
      const found = await answer.json();
      if (answer.ok) {
        open.add(found.id);
        follow(heard.get(found.id) || found);
        rows = rows.filter((one) => one !== row);
        draw();
        continue;
      }
      row.refused = true;
      row.why.className = "alarm";
      row.why.textContent = told(found.error);
    }
    $("#preview").replaceChildren();
    say("");
    listen();
  }

  // Progress

  const work = $("#work"), states = JSON.parse(work.dataset.states), jobs = $("#jobs");
  let stream = null;

  function show(job) {
    work.hidden = false;
    const nodes = job.files.map((file) => {
      const icon = $(`.card[data-strategy="${CSS.escape(job.strategy)}"] .icon`, form)?.cloneNode(true) || "";
      let text = file.state === "running" ? states[file.stage] || states.running : states[file.state] + (file.error && `: ${file.error}`);
      if (file.state === "done" && !file.changed) text = states.same;
      if (file.state === "running" && file.stage === "parse" && file.pages) text += ` · ${states.page.replace("%p", file.page).replace("%n", file.pages)}`;
      const many = file.documents.length > 1;  // of a file that holds several the list tells
      if (many && file.state === "done") text += ` · ${states.many.replace("%", file.documents.length)}`;
      const place = many ? `/documents?name=${encodeURIComponent(file.name)}` : `/documents/${file.documents[0]}`;
      const name = file.documents.length ? make("a", { class: "name", dir: "auto", href: place }, file.name) : make("span", { class: "name", dir: "auto" }, file.name);
      const node = make("li", { "data-job": job.id, class: file.state }, make("span", { class: `badge s-${job.strategy}` }, icon, job.strategy), name, make("span", { class: "state" }, text));
      if (file.state === "queued" || file.state === "running") {
        const cancel = make("button", { type: "button", class: "quiet", "aria-label": states.cancel_one.replace("%", file.name) }, states.cancel);
        cancel.addEventListener("click", () => fetch(`/api/v1/jobs/${job.id}`, { method: "DELETE" }));
        node.append(cancel);
        if (file.state === "queued") return node;
        const bar = make("progress", { max: 100, "aria-label": file.name });
        const share = { parse: file.pages ? 60 * file.page / file.pages : 5, chunk: 65, check: 80, store: 92 }[file.stage];
        if (share !== undefined) bar.value = share;
        node.append(bar);
      }
      return node;
    });
    const held = all(`[data-job="${CSS.escape(job.id)}"]`, jobs);
    if (held.length) { held[0].before(...nodes); for (const node of held) node.remove(); }
    else jobs.prepend(...nodes);
  }

  async function refresh() {
    const asking = $("#list :popover-open");  // whether to delete: the list waits for the answer
    if (asking) { asking.addEventListener("toggle", refresh, { once: true }); return; }
    const answer = await fetch(location.href, { headers: { "x-part": "list" } });
    if (answer.ok) $("#list").innerHTML = await answer.text();  // escaped by the service
  }

  // Jobs that are followed, and what was last heard of any: an event may come before the answer that names its job.
  const open = new Set(all("[data-job].queued, [data-job].running", jobs).map((node) => node.dataset.job)), heard = new Map();

  function follow(job) {
    show(job);
    if (["queued", "running"].includes(job.state)) open.add(job.id);
    else if (open.delete(job.id)) refresh();
  }

  function listen() {
    if (stream) return;
    stream = new EventSource("/api/v1/events");
    stream.addEventListener("job", (event) => {
      const job = JSON.parse(event.data);
      heard.set(job.id, job);
      const known = open.has(job.id) || all(`[data-job="${CSS.escape(job.id)}"]`, jobs).length;
      if (known || ["queued", "running"].includes(job.state)) follow(job);
    });
  }
  if (!work.hidden) listen();
})();
