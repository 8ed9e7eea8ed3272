// The table as it lies: seats around, the dealer at the top, board and piles in the middle.
import { html } from "./vendor/htm-preact.js";
import { Card, cardsWords, isBanked } from "./parts.js";
import { place as placeWords, t } from "./texts.js";

const PILES = ["burn", "muck", "rack"];

// A pile is drawn where the game has it, and where cards lie on it.
const isDrawn = (pile, info) => pile && (pile.cards > 0 || (pile.place === "rack") === isBanked(info));

export function Table({ table, info, chosen, choose }) {
  const places = new Map(table.places.map((each) => [each.place, each]));
  const seats = info.seats.map((n) => "S" + n);
  const hands = ["D", "P", "B"].filter((name) => places.has(name));
  const out = table.places.reduce((sum, each) => sum + each.cards, 0);
  const board = places.get("board");
  const hasBoard = board && (board.cards > 0 || !isBanked(info));
  return html`<section class="table" aria-label=${t("table")}>
    <div class="felt">
      <div class="tray">${hands.includes("D")
        ? html`<${Hand} at=${places.get("D")} isCentral choose=${choose} chosen=${chosen} />`
        : html`<span class="dealer">${t("dealer")}</span>`}</div>
      <div class="middle">
        ${hands.filter((name) => name !== "D").map((name) =>
          html`<${Hand} key=${name} at=${places.get(name)} isCentral choose=${choose} chosen=${chosen} />`)}
        ${hasBoard && html`<${Board} at=${board} />`}
        <dl class="piles">
          ${PILES.filter((name) => isDrawn(places.get(name), info)).map((name) =>
            html`<div key=${name}><dt>${t(name)}</dt><dd>${places.get(name).cards}</dd></div>`)}
          <div><dt>${t("shoe")}</dt><dd>${Math.max(0, info.pack - out)}</dd></div>
        </dl>
      </div>
      ${seats.map((seat, index) => html`<${Hand} key=${seat} angle=${angleOf(index, seats.length)}
        at=${places.get(seat) ?? { place: seat, cards: 0, due: 0, unread: 0, is_next: false, faces: [] }}
        isButton=${!isBanked(info) && table.button === seat} choose=${choose} chosen=${chosen} />`)}
    </div>
  </section>`;
}

// Clockwise from the dealer's left, as seen from above with the dealer at the top; the top is his.
function angleOf(index, count) {
  const gap = 52;
  const span = 360 - 2 * gap;
  return count === 1 ? 180 : gap + (span * index) / (count - 1);
}

function Hand({ at, angle, isButton, isCentral, choose, chosen }) {
  const isIn = at.due > 0 || at.cards > 0;
  const backs = Math.max(0, Math.min(at.cards - at.faces.length, 8));
  const words = [placeWords(at.place), cardsWords(at.cards, at.faces)];
  if (at.due !== null) words.push(t("of", { n: at.cards, due: at.due }));
  if (at.unread) words.push(t("unread", { n: at.unread }));
  if (isButton) words.push(t("button"));
  if (at.is_next) words.push(t("next"));
  const wrong = at.due !== null && at.cards > at.due && at.due > 0;
  const turn = angle === undefined ? null : (angle * Math.PI) / 180;
  return html`<button type="button" data-place=${at.place}
      class="hand ${isCentral ? "central" : ""} ${at.is_next ? "next" : ""} ${isIn ? "" : "out"} ${chosen === at.place ? "chosen" : ""}"
      style=${turn === null ? {} : { "--x": Math.sin(turn), "--y": -Math.cos(turn) }}
      aria-label=${words.join(", ")} aria-pressed=${chosen === at.place} onClick=${() => choose(at.place)}>
    <span class="name">${/^S\d/.test(at.place) ? at.place.slice(1) : at.place === "D" ? t("dealer") : placeWords(at.place)}
      ${isButton && html`<b class="disc">D</b>`}</span>
    <span class="cards">${at.faces.map((face) => html`<${Card} face=${face} />`)}
      ${Array.from({ length: backs }, () => html`<${Card} />`)}</span>
    ${isIn && html`<span class="count ${wrong ? "wrong" : ""}">${at.due === null ? at.cards : t("of", { n: at.cards, due: at.due })}
      ${at.unread > 0 && html`<em>?${at.unread}</em>`}</span>`}
  </button>`;
}

function Board({ at }) {
  const slots = Math.max(5, at.cards);
  return html`<div class="board" role="img" aria-label=${t("board") + ", " + cardsWords(at.cards, at.faces)}>
    ${Array.from({ length: slots }, (_, n) => html`<${Card} face=${at.faces[n]} open=${n >= at.cards} />`)}
    ${at.unread > 0 && html`<em>?${at.unread}</em>`}
  </div>`;
}
