"use strict";
// Light or dark as the reader's system has it, until the button says otherwise.
(() => {
  const root = document.documentElement;
  const dark = () =>
    root.dataset.theme
      ? root.dataset.theme === "dark"
      : window.matchMedia("(prefers-color-scheme: dark)").matches;
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    document.dispatchEvent(new CustomEvent("theme"));
  });
  window.isDark = dark;
})();
