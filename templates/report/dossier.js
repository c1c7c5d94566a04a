"use strict";
// Search: results without the words are hidden, and what holds some is opened.
(() => {
  const words = document.getElementById("words"), found = document.getElementById("found");
  const items = [...document.querySelectorAll("#results tbody tr, #do tbody tr, .card")];
  const holders = [...document.querySelectorAll("#results details, #do details")];
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
      const some = holder.querySelector("tbody tr:not([hidden])");
      holder.hidden = wanted.length > 0 && !some;
      if (wanted.length > 0 && some) holder.open = true;
    }
    found.textContent = wanted.length ? `${count} found` : "";
  };
  words.disabled = false;
  words.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 150); });
})();
