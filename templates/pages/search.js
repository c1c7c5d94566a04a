"use strict";
// Search: what lacks the words is hidden, so is what holds none of the rest, and folded parts that hold some open.
// The input says what is searched (data-items) and what holds it (data-holders), both as selectors.
(() => {
  const words = document.getElementById("words"), found = document.getElementById("found");
  const { items: itemsAre, holders: holdersAre } = words.dataset;
  const items = [...document.querySelectorAll(itemsAre)], holders = document.querySelectorAll(holdersAre);
  let texts = null, timer = 0;
  const search = () => {
    texts = texts || items.map((item) => item.textContent.toLowerCase());
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const holding = new Set();
    let count = 0;
    items.forEach((item, number) => {
      const hit = wanted.every((word) => texts[number].includes(word));
      item.hidden = !hit;
      count += hit;
      for (let up = hit && item.closest(holdersAre); up; up = up.parentElement.closest(holdersAre)) holding.add(up);
    });
    for (const holder of holders) {
      holder.hidden = wanted.length > 0 && !holding.has(holder);
      if (wanted.length > 0 && holder.tagName === "DETAILS") holder.open = holding.has(holder);
    }
    found.textContent = wanted.length ? `${count} found` : "";
  };
  words.disabled = false;
  words.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 150); });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== words) { event.preventDefault(); words.focus(); }
  });
})();
