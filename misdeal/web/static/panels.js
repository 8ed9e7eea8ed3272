// Devices, the log, and what the operator says.
import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { SayButton, Shape, isBanked } from "./parts.js";
import { completions } from "./state.js";
import { clock as clockWords, headline, place, t } from "./texts.js";

export function Devices({ readers, unwatched, openClause }) {
  const [tapped, tap] = useState("");
  const shown = readers.find((each) => each.name === tapped);
  return html`<section class="devices" aria-label=${t("devices")}>
    <div class="strip">
      ${readers.length === 0 && html`<span>${t("no-devices")}</span>`}
      ${readers.map((each) => {
        const isWell = each.is_well && !each.is_slow && !each.is_degraded;
        const how = !each.is_well ? "readers." + each.state : each.is_slow ? "slow" : each.is_degraded ? "degraded" : "well";
        return html`<button type="button" key=${each.name} class="device ${isWell ? "well" : "unwell"}"
          aria-expanded=${tapped === each.name} onClick=${() => tap(tapped === each.name ? "" : each.name)}>
          <i aria-hidden="true">${isWell ? "●" : "▲"}</i> ${each.name}${" "}<small>${t(how)}</small></button>`;
      })}
    </div>
    ${shown && html`<p class="figures">${shown.places.map(place).join(", ")} · ${t("readers." + shown.state)}
      ${shown.why && ` (${shown.why})`} · ${t("rate", { ms: shown.cycle_ms })} ·
      ${" " + t("errors", { n: shown.errors, of: shown.frames })} ·
      ${" " + t("last-seen", { time: shown.last_good_ms ? clockWords(shown.last_good_ms) : "-" })}</p>`}
    ${unwatched.length > 0 && html`<p class="unwatched">${t("unwatched")}:
      ${unwatched.map((id) => html`<button type="button" class="cite" onClick=${() => openClause(id)}>${id}</button>`)}</p>`}
  </section>`;
}

const kindOf = (line) => (line.ruling ? "ruling" : line.said ? "said" : "reader");
const seatOf = (line) => line.ruling?.place ?? line.said?.match(/\b(S\d+|D|P|B)\b/)?.[0] ?? "";

export function Log({ lines, openRuling }) {
  const [hand, setHand] = useState("");
  const [seat, setSeat] = useState("");
  const [kind, setKind] = useState("");
  const fits = (line) =>
    (!hand || String(line.hand) === hand) && (!seat || seatOf(line) === seat) && (!kind || kindOf(line) === kind);
  const found = lines.filter(fits).slice(0, 100);
  const hands = [...new Set(lines.map((line) => String(line.hand)))];
  const seats = [...new Set(lines.map(seatOf).filter(Boolean))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return html`<section class="log" aria-label=${t("log")}>
    <header><h2>${t("log")}</h2>
      <${Filter} value=${hand} set=${setHand} all=${t("all-hands")} options=${hands.map((n) => [n, t("hand", { n })])} />
      <${Filter} value=${seat} set=${setSeat} all=${t("all-seats")} options=${seats.map((name) => [name, place(name)])} />
      <${Filter} value=${kind} set=${setKind} all=${t("all-kinds")}
        options=${["ruling", "said", "reader"].map((name) => [name, t("kind-" + name)])} />
    </header>
    <ol>${found.map((line) => html`<li key=${line.at_ms + (line.ruling?.id ?? line.said ?? line.reader)}
        class=${line.ruling?.state ?? ""}>
      <time>${clockWords(line.at_ms)}</time> <span class="hand-no">${line.hand}</span>
      <${LogWords} line=${line} openRuling=${openRuling} /></li>`)}
    ${found.length === 0 && html`<li class="none">${t("empty-log")}</li>`}</ol>
  </section>`;
}

function Filter({ value, set, all, options }) {
  return html`<select aria-label=${all} value=${value} onChange=${(event) => set(event.target.value)}>
    <option value="">${all}</option>
    ${options.map(([name, words]) => html`<option value=${name}>${words}</option>`)}</select>`;
}

function LogWords({ line, openRuling }) {
  if (line.ruling) {
    const { ruling } = line;
    return html`<span class="what"><${Shape} sort=${ruling.sort} />
      ${" "}<button type="button" class="link" onClick=${() => openRuling(ruling)}><b>${ruling.id} ${headline(ruling)}</b></button> <span class="state">${t("states." + ruling.state)}</span> ${ruling.because}</span>`;
  }
  if (line.said) return html`<span class="what"><q>${line.said}</q> ${line.by || t("nobody")}</span>`;
  return html`<span class="what">${line.reader}: ${t("readers." + line.state)}</span>`;
}

// The ten that are said most; each has a key.
const OFTEN = [
  "shuffle", "deal ends", "say pot taken", "say next hand", "say bets closed",
  "say substantial yes", "say substantial no", "say handled yes", "say handled no", "approve",
];

export const keyOf = (text) => {
  const at = OFTEN.indexOf(text);
  return at < 0 ? "" : String((at + 1) % 10);
};

export const oftenAt = (key) => OFTEN[(Number(key) + 9) % 10];

const POKER = new Set(["say pot taken", "say substantial yes", "say substantial no"]);
const HOUSE = new Set(["say bets closed"]);

export function Often({ hands, info }) {
  const foreign = isBanked(info) ? POKER : HOUSE;
  return html`<section class="often" aria-label=${t("often")}>
    <h2>${t("often")}</h2>
    <div class="grid">${OFTEN.filter((text) => hands.may(text) && !foreign.has(text)).map((text) => html`<${SayButton} key=${text} hands=${hands}
      text=${text} label=${t("statements." + text)} keyName=${keyOf(text)}
      kind=${text === "approve" ? "approve" : ""} />`)}</div>
  </section>`;
}

const ACTS = ["fold", "check", "call", "bet", "raise", "allin"];
const CASINO = ["hit", "stand", "double", "split"];

export function Seat({ seat, info, hands, close }) {
  const acts = isBanked(info) ? CASINO : ACTS;
  const said = [
    ...(info.actions === "entered" || isBanked(info) ? acts.map((act) => [`act ${seat} ${act}`, "acts." + act]) : []),
    [`look ${seat}`, "acts.look"], [`handle ${seat}`, "acts.handle"], [`say tabled ${seat}`, "acts.tabled"],
    [`call misdeal ${seat}`, "acts.misdeal"], [`say sits ${seat}`, "acts.sits"], [`say leaves ${seat}`, "acts.leaves"],
    [`say button ${seat}`, "acts.button"],
  ];
  return html`<section class="often seat-panel" aria-label=${place(seat)}>
    <header><h2>${place(seat)}</h2><button type="button" class="plain" onClick=${close}>${t("close")} <kbd>Esc</kbd></button></header>
    <div class="grid">${said.filter(([text]) => hands.may(text)).map(([text, key]) =>
      html`<${SayButton} key=${text} hands=${hands} text=${text} label=${t(key)} />`)}</div>
  </section>`;
}

export function Search({ info, clauses, rulings, hands, told }) {
  const [typed, type] = useState("");
  const [at, setAt] = useState(-1);
  const box = useRef(null);
  const seats = [...info.seats.map((n) => "S" + n), "D", "P", "B"];
  const found = completions(typed, { forms: info.forms, seats, clauses, rulings });
  const pick = ({ text }) => {
    const gap = text.search(/[A-Z]{4,}/);
    type(gap < 0 ? text : text.slice(0, gap));
    setAt(-1);
    box.current.focus();
  };
  const say = (event) => {
    event.preventDefault();
    if (at >= 0 && found[at]) {
      pick(found[at]);
    } else if (typed.trim()) {
      hands.say(typed.trim());
      type("");
    }
  };
  const move = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      type("");
      setAt(-1);
      box.current.blur();
    } else if (event.key === "Tab" && found.length && typed !== found[Math.max(at, 0)].text && !event.shiftKey) {
      event.preventDefault();
      pick(found[Math.max(at, 0)]);
    } else if (step && found.length) {
      event.preventDefault();
      setAt((at + step + found.length) % found.length);
    }
  };
  return html`<section class="search">
    <form onSubmit=${say} role="search">
      <input id="search" ref=${box} value=${typed} autocomplete="off" autocapitalize="none" spellcheck=${false}
        role="combobox" aria-expanded=${found.length > 0} aria-controls="found" aria-label=${t("search")}
        aria-activedescendant=${at >= 0 ? "found-" + at : undefined} placeholder=${t("search")}
        onInput=${(event) => { type(event.target.value); setAt(-1); }} onKeyDown=${move} />
      <button type="submit">${t("say")}</button>
    </form>
    ${found.length > 0 && html`<ul id="found" role="listbox">${found.map((each, n) => html`<li key=${each.text}
      id=${"found-" + n} role="option" aria-selected=${n === at} onMouseDown=${(event) => { event.preventDefault(); pick(each); }}>
      ${each.text} <small>${each.note}</small></li>`)}</ul>`}
    <p class="told ${told.ok ? "" : "bad"}" role="status">${told.text}</p>
  </section>`;
}

function useDialog(what) {
  const dialog = useRef(null);
  useEffect(() => { if (what && !dialog.current.open) dialog.current.showModal(); }, [what]);
  return dialog;
}

// A ruling as it stood at one moment.
export function Detail({ ruling, openClause, close }) {
  const dialog = useDialog(ruling);
  if (!ruling) return null;
  return html`<dialog ref=${dialog} onClose=${close} aria-label=${headline(ruling)}>
    <header><h2><${Shape} sort=${ruling.sort} /> ${headline(ruling)}</h2>
      <button type="button" class="plain" onClick=${() => dialog.current.close()}>${t("close")} <kbd>Esc</kbd></button></header>
    <p class="plain-words">${ruling.because}</p>
    <p>${ruling.id} · ${t("hand", { n: ruling.hand })} · ${clockWords(ruling.at_ms)} · ${t("states." + ruling.state)}
      ${ruling.superseded_by && ", " + t("replaced-by", { id: ruling.superseded_by })}</p>
    <p class="row">${ruling.cite.map((cite) => html`<button type="button" class="cite" onClick=${() => openClause(cite)}>
      ${t("clause")} ${cite}</button>`)}</p>
    <ul>${ruling.remedy.map((line) => html`<li>${line}</li>`)}</ul>
  </dialog>`;
}

export function Clause({ id, clauses, close }) {
  const dialog = useDialog(id);
  if (!id) return null;
  const exact = clauses.filter((clause) => clause.id === id);
  const found = exact.length ? exact : clauses.filter((clause) => clause.cite.includes(id));
  return html`<dialog ref=${dialog} onClose=${close} aria-label=${t("clause") + " " + id}>
    <header><h2>${t("clause")} ${id}</h2>
      <button type="button" class="plain" onClick=${() => dialog.current.close()}>${t("close")} <kbd>Esc</kbd></button></header>
    ${found.length === 0 && html`<p>${t("no-clause")}</p>`}
    ${found.map((clause) => html`<article><p class="plain-words">${clause.plain}</p>
      <dl>${[["verdict", t("verdicts." + clause.verdict)], ...clause.rows].map(([name, words]) =>
        html`<dt>${t("rows." + name)}</dt><dd>${words}</dd>`)}</dl></article>`)}
  </dialog>`;
}
