"use strict";
// Search: rows and pictures without the words are hidden, and so is what is empty then.
(() => {
  const words = document.getElementById("words"), found = document.getElementById("found");
  const items = [...document.querySelectorAll("tbody tr, figure, .beside li")];
  const holders = [...document.querySelectorAll(".block, .chapter")];
  let texts = null, timer = 0;
  const search = () => {
    texts = texts || items.map((item) => item.textContent.toLowerCase());
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    items.forEach((item, number) => {
      const hit = wanted.every((word) => texts[number].includes(word));
      item.hidden = !hit;
      count += hit;
    });
    for (const holder of holders) {
      holder.hidden = wanted.length > 0 && !holder.querySelector("tbody tr:not([hidden]), figure:not([hidden]), li:not([hidden])");
    }
    found.textContent = wanted.length ? `${count} found` : "";
  };
  words.disabled = false;
  words.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 150); });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== words) { event.preventDefault(); words.focus(); }
  });
})();
