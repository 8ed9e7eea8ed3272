// The page of one table.
import { html, render, useCallback, useEffect, useReducer, useRef, useState } from "./vendor/htm-preact.js";
import { ask, follow } from "./link.js";
import { Banner, SETTLE_MS, SayButton } from "./parts.js";
import { Clause, Detail, Devices, Log, Often, Search, Seat, oftenAt } from "./panels.js";
import { Beside, Question, Quiet, Ruling } from "./ruling.js";
import { isMuted, mute, sound, wake } from "./sound.js";
import { after, byWeight, empty, firstQuestion, older } from "./state.js";
import { Table } from "./table.js";
import { LANGUAGES, clock as clockWords, headline, load, preferred, t } from "./texts.js";

// Nothing for so long is no news: a pulse comes every second.
const STALE_MS = 3000;

function App() {
  const [info, setInfo] = useState(undefined); // undefined: not asked yet; null: signed out
  const [why, setWhy] = useState("");
  const [, redraw] = useReducer((n) => n + 1, 0);
  const enter = useCallback(async () => {
    const link = location.hash.match(/^#enter=(.+)$/)?.[1];
    if (link) {
      history.replaceState(null, "", location.pathname);
      const reply = await ask("POST", "/api/v1/enter", { link });
      if (!reply.ok) setWhy(t(reply.status === 429 ? "wait" : "link-used"));
    }
    const reply = await ask("GET", "/api/v1/info");
    setInfo(reply.ok ? reply.body : reply.status === 401 ? null : undefined);
    if (!reply.ok && reply.status !== 401) setTimeout(enter, 1000);
  }, []);
  useEffect(() => { enter(); }, []);
  const speak = async (language) => { await load(language); redraw(); };
  if (info === undefined) return html`<main class="alone"><p>${t("no-table")}</p></main>`;
  if (info === null) return html`<${SignIn} why=${why} enter=${enter} speak=${speak} />`;
  return html`<${Live} info=${info} speak=${speak} leave=${(words) => { setWhy(words); setInfo(null); }} />`;
}

function SignIn({ why, enter, speak }) {
  const [told, tell] = useState(why);
  const submit = async (event) => {
    event.preventDefault();
    const fields = new FormData(event.target);
    const reply = await ask("POST", "/api/v1/sign-in", { name: fields.get("name"), password: fields.get("password") });
    if (reply.ok) enter();
    else tell(t(reply.status === 401 ? "wrong" : reply.status === 429 || reply.status === 503 ? "wait" : "no-table"));
  };
  return html`<main class="alone"><h1>${t("title")}</h1>
    <form class="sign-in" onSubmit=${submit}>
      <label>${t("name")}<input name="name" autocomplete="username" autocapitalize="none" required autofocus /></label>
      <label>${t("password")}<input name="password" type="password" autocomplete="current-password" required /></label>
      <p class="bad" role="alert">${told}</p>
      <button type="submit">${t("sign-in")}</button>
    </form>
    <${Language} speak=${speak} /></main>`;
}

function Language({ speak }) {
  return html`<span class="switch" role="group" aria-label=${t("language")}>${LANGUAGES.map((each) => html`<button type="button"
    key=${each} aria-pressed=${document.documentElement.lang === each} onClick=${() => speak(each)}>${each.toUpperCase()}</button>`)}</span>`;
}

const THEMES = ["auto", "dark", "light"];

function dress(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  localStorage.setItem("theme", theme);
}

function Live({ info, speak, leave }) {
  const [state, take] = useReducer((old, [event, body, at]) => after(old, event, body, at), empty);
  const [clauses, setClauses] = useState([]);
  const [clause, openClause] = useState("");
  const [opened, openRuling] = useState(null);
  const [seat, choose] = useState("");
  const [told, setTold] = useState({ ok: true, text: "" });
  const [now, setNow] = useState(Date.now());
  const changedAt = useRef(0);

  useEffect(() => follow((event, body) => take([event, body, Date.now()])), []);
  useEffect(() => {
    ask("GET", "/api/v1/clauses").then((reply) => reply.ok && setClauses(reply.body));
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => { if (state.line === "signed-out") leave(t("signed-out")); }, [state.line]);

  const rulings = state.table ? byWeight(state.table.in_force) : [];
  const weighty = rulings.filter((each) => each.sort !== "noted");
  const asked = state.table ? firstQuestion(weighty) : null;
  const sign = weighty.map((each) => each.id + each.state + each.verdict + each.questions.map((q) => q.fact)).join();
  useNews(weighty, sign);
  const signBefore = useRef(sign);
  if (signBefore.current !== sign) {
    signBefore.current = sign;
    changedAt.current = performance.now();
  }

  const hands = useHands(info, changedAt, setTold);
  useKeys({ hands, state, close: () => choose("") });

  if (!state.table) return html`<main class="alone"><p>${t("no-table")}</p></main>`;
  const isStale = state.line === "live" && now - state.heardMs > STALE_MS;
  const isLost = state.line === "lost";
  const [first, ...rest] = weighty;
  const beside = [...rest, ...rulings.filter((each) => each.sort === "noted"),
    ...older(state.log, state.table.hand, rulings.map((each) => each.id))];
  const undo = state.table.can_undo && hands.may("say undo")
    && html`<${SayButton} hands=${hands} text="say undo" label=${t("undo")} keyName="u" kind="undo" />`;
  const clock = () => state.nowMs + Date.now() - state.heardMs;
  return html`
    <${Header} info=${info} table=${state.table} speak=${speak} leave=${leave} />
    ${isLost && html`<${Banner} kind="lost">${t("lost", { time: clockWords(state.lostMs) })}<//>`}
    ${isStale && html`<${Banner} kind="stale">${t("stale", { time: clockWords(state.heardMs) })}<//>`}
    <main class=${`${isStale || isLost ? "dimmed" : ""} ${first ? "" : "calm"}`}>
      <div class="top">
        ${first ? html`<${Ruling} ruling=${first} clock=${clock} openClause=${openClause} hands=${hands} undo=${undo} key=${first.id} />`
          : html`<${Quiet} table=${state.table} undo=${undo} />`}
        ${asked && html`<${Question} asked=${asked} isOwn=${asked.ruling.id === first?.id} hands=${hands} key=${asked.ruling.id + asked.question.fact} />`}
        <${Beside} rulings=${beside} openClause=${openClause} openRuling=${openRuling} hands=${hands} />
      </div>
      <div class="left">
        <${Table} table=${state.table} info=${info} chosen=${seat} choose=${(name) => choose(seat === name ? "" : name)} />
        <${Devices} readers=${state.readers} unwatched=${state.unwatched} openClause=${openClause} />
      </div>
      <div class="right">
        ${hands.speaks
          ? html`${seat ? html`<${Seat} seat=${seat} info=${info} hands=${hands} close=${() => choose("")} />` : html`<${Often} hands=${hands} info=${info} />`}
            <${Search} info=${info} clauses=${clauses} rulings=${rulings.map((each) => each.id)} hands=${hands} told=${told} />`
          : html`<p class="looking-on">${t("looking-on")}</p>`}
        <${Log} lines=${state.log} openRuling=${openRuling} />
      </div>
    </main>
    <${Detail} ruling=${opened} openClause=${openClause} close=${() => openRuling(null)} />
    <${Clause} id=${clause} clauses=${clauses} close=${() => openClause("")} />`;
}

function Header({ info, table, speak, leave }) {
  const [muted, setMuted] = useState(isMuted());
  const [theme, setTheme] = useState(localStorage.getItem("theme") ?? "auto");
  const silence = () => { mute(!muted); setMuted(!muted); };
  useEffect(() => {
    const toggled = () => setMuted(isMuted());
    addEventListener("misdeal-mute", toggled);
    return () => removeEventListener("misdeal-mute", toggled);
  }, []);
  const out = async () => {
    await ask("POST", "/api/v1/sign-out", undefined, info.proof);
    leave(t("signed-out"));
  };
  const nextTheme = () => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    dress(next);
    setTheme(next);
  };
  return html`<header class="bar">
    <b>${info.table}</b><span class="what">${info.game} · ${info.rulebook} · ${t("hand", { n: table.hand })} · ${t("phases." + table.phase)}</span>
    <span class="grow"></span>
    <button type="button" class="plain" aria-pressed=${muted} onClick=${silence}>${muted ? t("mute") : t("unmute")}</button>
    <button type="button" class="plain" aria-label=${t("theme")} onClick=${nextTheme}>${t(theme)}</button>
    <${Language} speak=${speak} />
    <span class="who">${info.person.name}</span>
    <button type="button" class="plain" onClick=${out}>${t("sign-out")}</button>
  </header>`;
}

// What the operator says, by whatever hand: a tap, a key, the search box.
function useHands(info, changedAt, setTold) {
  const say = async (text) => {
    const reply = await ask("POST", "/api/v1/say", { say: text }, info.proof);
    setTold(reply.ok ? { ok: true, text: t("said", { text }) } : { ok: false, text: t("refused", { why: reply.body.reason ?? "" }) });
    return reply.ok;
  };
  const starts = info.forms.map((form) => form.split(/ (?=[A-Z]{4})/)[0]);
  return {
    say,
    speaks: info.forms.length > 0,
    may: (text) => starts.some((start) => text === start || text.startsWith(start + " ")),
    tap: (text) => { if (performance.now() - changedAt.current >= SETTLE_MS) say(text); },
  };
}

function useKeys({ hands, state, close }) {
  useEffect(() => {
    const press = (event) => {
      wake();
      const isTyping = event.target.closest?.("input, select, textarea, dialog");
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (/^\d$/.test(event.key)) {
        const text = oftenAt(event.key);
        if (hands.may(text)) hands.tap(text);
      } else if (event.key === "u" && state.table?.can_undo && hands.may("say undo")) {
        hands.tap("say undo");
      } else if (event.key === "/") {
        event.preventDefault();
        document.getElementById("search")?.focus();
      } else if (event.key === "m") {
        mute(!isMuted());
        dispatchEvent(new Event("misdeal-mute"));
      } else if (event.key === "Escape") {
        close();
      }
    };
    addEventListener("keydown", press);
    addEventListener("pointerdown", wake);
    return () => {
      removeEventListener("keydown", press);
      removeEventListener("pointerdown", wake);
    };
  });
}

// A ruling that is new sounds and is read out; one that was there when the page opened is neither.
function useNews(weighty, sign) {
  const known = useRef(null);
  useEffect(() => {
    const marks = new Map(weighty.map((each) => [each.id + each.state + each.verdict, each]));
    if (known.current) {
      const news = [...marks].filter(([mark]) => !known.current.has(mark)).map(([, ruling]) => ruling);
      const loudest = byWeight(news)[0];
      if (loudest) {
        sound(loudest.sort);
        const spoken = document.getElementById(loudest.sort === "stop" ? "shout" : "murmur");
        spoken.textContent = `${headline(loudest)}. ${loudest.because}`;
      }
    }
    if (sign !== "" || known.current) known.current = new Set(marks.keys());
    else known.current = new Set();
  }, [sign]);
}

for (const [id, live] of [["shout", "assertive"], ["murmur", "polite"]]) {
  const region = document.createElement("div");
  Object.assign(region, { id, className: "spoken" });
  region.setAttribute("aria-live", live);
  document.body.append(region);
}
dress(localStorage.getItem("theme") ?? "auto");
await load(preferred());
render(html`<${App} />`, document.getElementById("page"));
