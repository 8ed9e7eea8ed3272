// The page's words, in the language that was chosen.

export const LANGUAGES = ["en", "de"];
let texts = {};

export function preferred() {
  const chosen = localStorage.getItem("language") ?? navigator.language.slice(0, 2);
  return LANGUAGES.includes(chosen) ? chosen : "en";
}

export async function load(language) {
  texts = await (await fetch(`/static/texts.${language}.json`)).json();
  document.documentElement.lang = language;
  localStorage.setItem("language", language);
}

/** The words of a key such as "verdicts.misdeal", with `{name}` filled in; else the last of it. */
export function t(key, values = {}) {
  const found = key.split(".").reduce((at, part) => at?.[part], texts);
  const text = typeof found === "string" ? found : key.split(".").pop().replaceAll("_", " ");
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

export function place(name) {
  if (!name) return "";
  return /^S\d+$/.test(name) ? t("seat", { n: name.slice(1) }) : t("places." + name);
}

export function headline(ruling) {
  const words = t("verdicts." + (ruling.verdict ?? "ask"));
  return ruling.place ? `${words} - ${place(ruling.place).toUpperCase()}` : words;
}

export function clock(ms) {
  return new Date(ms).toLocaleTimeString(document.documentElement.lang, { hour12: false });
}
