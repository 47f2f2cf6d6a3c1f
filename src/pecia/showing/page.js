"use strict";
// Blocks and chunks light up together in picture and text; j, k and arrows walk blocks, n and p pages.
{
  const lit = new Set();
  const light = (element) => {
    for (const old of lit) old.classList.remove("on");
    lit.clear();
    const head = element?.closest(".head[data-c]");
    const block = element?.closest("[data-b]");
    const found = head
      ? document.querySelectorAll(`.t[data-c~="${head.dataset.c}"], .head[data-c="${head.dataset.c}"]`)
      : block ? document.querySelectorAll(`[data-b="${CSS.escape(block.dataset.b)}"]`) : [];
    for (const one of found) { one.classList.add("on"); lit.add(one); }
  };
  const walk = (items, from, step) => {
    const at = items.indexOf(from);
    const next = at < 0 ? items.find((item) => item.getBoundingClientRect().top >= 0) : items[at + step];
    return next ?? items[at];
  };
  const blocks = [...document.querySelectorAll(".part")];
  const sheets = [...document.querySelectorAll(".sheet")];
  document.addEventListener("pointerover", (event) => light(event.target));
  document.addEventListener("focusin", (event) => light(event.target));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    const part = link && document.getElementById(link.getAttribute("href").slice(1));
    if (part?.matches(".part")) { event.preventDefault(); part.focus(); }
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inside = document.activeElement?.closest(".part");
    const step = { j: 1, k: -1 }[event.key] ?? (inside ? { ArrowDown: 1, ArrowUp: -1 }[event.key] : undefined);
    const turn = { n: 1, p: -1 }[event.key];
    if (step) {
      event.preventDefault();
      walk(blocks, inside, step)?.focus();
    } else if (turn) {
      const here = sheets.findLast((sheet) => sheet.getBoundingClientRect().top < 8);
      walk(sheets, here, here ? turn : 0)?.scrollIntoView();
    }
  });
}
