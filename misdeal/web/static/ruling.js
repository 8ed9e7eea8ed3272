// The ruling that counts, what is asked, and the rulings beside it.
import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { SayButton, Shape } from "./parts.js";
import { headline, place, t } from "./texts.js";

export function Quiet({ table, undo }) {
  const phase = t("phases." + table.phase);
  return html`<section class="ruling quiet" aria-label=${t("ruling")}>
    <p>${t("quiet", { n: table.hand, phase })}</p>${undo}
  </section>`;
}

export function Ruling({ ruling, clock, openClause, hands, undo }) {
  return html`<section class="ruling ${ruling.sort}" aria-label=${t("ruling")} id="ruling">
    <header>
      <${Shape} sort=${ruling.sort} />
      <h1>${headline(ruling)}</h1>
      <${Window} ruling=${ruling} clock=${clock} key=${ruling.id} />
    </header>
    <p class="because">${ruling.because}</p>
    <div class="row">
      <span class="state">${t("states." + ruling.state)} · ${ruling.id}</span>
      ${ruling.cite.map((cite) => html`<button type="button" class="cite" onClick=${() => openClause(cite)}>
        ${t("clause")} ${cite}</button>`)}
      ${ruling.next_dealer && html`<span>${t("next-dealer", { seat: place(ruling.next_dealer) })}</span>`}
      <span class="grow"></span>${undo}<${Dismiss} ruling=${ruling} hands=${hands} />
    </div>
    ${ruling.callable_by.length > 0 && html`<div class="row claims"><span>${t("may-claim")}</span>
      ${ruling.callable_by.map((seat) => html`<${SayButton} kind="chip" hands=${hands}
        text=${`call ${ruling.verdict === "redeal" ? "redeal" : "misdeal"} ${seat}`} label=${place(seat)} />`)}</div>`}
    ${ruling.remedy.length > 0 && html`<fieldset><legend>${t("follows")}</legend>
      ${ruling.remedy.map((line) => html`<label key=${ruling.id + line}><input type="checkbox" /> <span>${line}</span></label>`)}
    </fieldset>`}
  </section>`;
}

// Until when it may still change: an event, or seconds as a bar that thins.
function Window({ ruling, clock }) {
  const [, look] = useState(0);
  const isTimed = ruling.until_ms !== null;
  useEffect(() => {
    if (!isTimed) return undefined;
    const timer = setInterval(() => look((n) => n + 1), 250);
    return () => clearInterval(timer);
  }, [isTimed]);
  if (!ruling.until) return null;
  if (!isTimed) return html`<p class="window">${t("until", { event: t("untils." + ruling.until) })}</p>`;
  const left = Math.max(0, ruling.until_ms - clock());
  const share = Math.min(1, left / Math.max(1, ruling.until_ms - ruling.at_ms));
  return html`<p class="window">${t("seconds", { n: Math.ceil(left / 1000) })}
    <span class="fuse"><span style=${{ width: `${share * 100}%` }}></span></span></p>`;
}

export function Question({ asked, isOwn, hands }) {
  const { ruling, question } = asked;
  return html`<section class="question" aria-label=${t("asked")}>
    <h2><${Shape} sort="open" />${t("facts." + question.fact)}</h2>
    ${!isOwn && html`<p class="because">${ruling.id}: ${ruling.because}</p>`}
    <div class="answers">
      ${question.choices.map((choice) => {
        const label = t("answers." + choice.answer);
        const note = choice.verdict ? t("leads", { verdict: t("verdicts." + choice.verdict) }) : t("leads-on");
        return choice.say
          ? html`<${SayButton} kind="answer" hands=${hands} text=${choice.say} label=${label} note=${note} />`
          : html`<p class="answer">${label}: ${note}. ${t("do")}</p>`;
      })}
    </div>
  </section>`;
}

// So many rulings beside the one that counts; the log has them all.
const BESIDE = 3;

export function Beside({ rulings, openClause, openRuling, hands }) {
  if (!rulings.length) return null;
  return html`<section class="beside" aria-label=${t("older")}>
    <ul>${rulings.slice(0, BESIDE).map((ruling) => html`<li key=${ruling.id} class=${ruling.state}>
      <${Shape} sort=${ruling.sort} />
      <span class="what"><button type="button" class="link" onClick=${() => openRuling(ruling)}><b>${ruling.id} ${headline(ruling)}</b></button> ${ruling.because}</span>
      <span class="state">${t("states." + ruling.state)}${ruling.superseded_by
        ? ", " + t("replaced-by", { id: ruling.superseded_by }) : ""}</span>
      ${ruling.cite.map((cite) => html`<button type="button" class="cite" onClick=${() => openClause(cite)}>${cite}</button>`)}
      <${Dismiss} ruling=${ruling} hands=${hands} />
    </li>`)}</ul>
  </section>`;
}

export function Dismiss({ ruling, hands }) {
  const [why, setWhy] = useState(null);
  const isAlive = ruling.state === "open" || ruling.state === "final";
  if (!isAlive || !hands.may("say dismiss r1 x")) return null;
  if (why === null) {
    return html`<button type="button" class="plain" onClick=${() => setWhy("")}>${t("dismiss")}</button>`;
  }
  const say = (event) => {
    event.preventDefault();
    if (why.trim()) hands.say(`say dismiss ${ruling.id} ${why.trim()}`);
    setWhy(null);
  };
  return html`<form class="dismiss" onSubmit=${say}>
    <input autofocus aria-label=${t("dismiss-why")} placeholder=${t("dismiss-why")} value=${why}
      onInput=${(event) => setWhy(event.target.value)} />
    <button type="submit">${t("dismiss")}</button></form>`;
}
