// Small parts that others are made of.
import { html } from "./vendor/htm-preact.js";
import { t } from "./texts.js";

// Colour is never alone: each sort has its shape.
const SHAPES = {
  stop: html`<path d="M8 1h8l7 7v8l-7 7H8l-7-7V8z" />`,
  open: html`<path d="M12 1l11 11-11 11L1 12z" />`,
  final: html`<circle cx="12" cy="12" r="11" />`,
  noted: html`<circle cx="12" cy="12" r="9" class="hollow" />`,
};

export function Shape({ sort }) {
  return html`<svg class="shape ${sort}" viewBox="0 0 24 24" aria-hidden="true">${SHAPES[sort]}</svg>`;
}

const SUITS = { s: "♠", h: "♥", d: "♦", c: "♣" };

export function Card({ face, open }) {
  if (!face) return html`<span class="card ${open ? "slot" : "back"}"></span>`;
  const suit = face.slice(-1);
  const isRed = suit === "h" || suit === "d";
  return html`<span class="card face ${isRed ? "red" : ""}">${face.slice(0, -1).replace("T", "10")}<i>${SUITS[suit]}</i></span>`;
}

// What appears under a finger must not be hit by it: for this long after the rulings have changed
// no statement is taken from a tap.
export const SETTLE_MS = 300;

export function SayButton({ text, label, note, keyName, kind = "", hands }) {
  return html`<button type="button" class="say ${kind}" disabled=${!hands.may(text)}
      onClick=${() => hands.tap(text)}>
    <span>${label}</span>${note && html`<small>${note}</small>`}${keyName && html`<kbd>${keyName}</kbd>`}
  </button>`;
}

export function Banner({ kind, children }) {
  return html`<p class="banner ${kind}" role="alert">${children}</p>`;
}

const BANKED = ["baccarat", "blackjack", "three-card", "caribbean-stud"];

/** The house plays: no button, no burn, bets are closed and cards go to a rack. */
export const isBanked = (info) => BANKED.includes(info.game);

export function cardsWords(n, faces) {
  return t("cards", { n }) + (faces.length ? ": " + faces.join(" ") : n ? ", " + t("face-down") : "");
}
