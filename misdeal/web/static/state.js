// What the page knows: messages in, state out. Pure; no clock, no network, no document.

const LOG = 300;

export const empty = {
  table: null, // as the controller draws it
  log: [], // newest first
  readers: [],
  unwatched: [],
  nowMs: 0, // the table's clock at the last message
  heardMs: 0, // our own clock then
  line: "new", // new, live, lost, signed-out
  lostMs: 0,
};

/** Return the state after a message that came at `heardMs` of our own clock. */
export function after(state, event, body, heardMs) {
  if (event === "lost") {
    return state.line === "lost" ? state : { ...state, line: "lost", lostMs: state.heardMs || heardMs };
  }
  if (event === "signed-out") return { ...state, line: "signed-out" };
  const next = { ...state, line: "live", nowMs: body.now_ms, heardMs };
  if (event === "snapshot") {
    next.log = [...body.log].reverse();
    Object.assign(next, { table: body.table, readers: body.readers, unwatched: body.unwatched });
  } else if (event === "table") {
    next.table = body.table;
    next.log = withLines(state.log, body.log);
  } else if (event === "readers") {
    Object.assign(next, { readers: body.readers, unwatched: body.unwatched });
    next.log = withLines(state.log, body.log);
  }
  return next;
}

function withLines(log, lines) {
  return lines.length ? [...[...lines].reverse(), ...log].slice(0, LOG) : log;
}

const RANK = { stop: 0, open: 1, final: 2, noted: 3 };

/** Return the rulings that count now, the weightiest and of those the newest first. */
export function byWeight(rulings) {
  return [...rulings].sort((a, b) => RANK[a.sort] - RANK[b.sort] || b.at_ms - a.at_ms);
}

/** Return the question that is asked first, and the ruling that asks it. */
export function firstQuestion(rulings) {
  for (const ruling of rulings) {
    if (ruling.state === "open" && ruling.questions.length) {
      return { ruling, question: ruling.questions[0] };
    }
  }
  return null;
}

/** Return the last word on each ruling of a hand that does not count any more, newest first. */
export function older(log, hand, shown) {
  const seen = new Set(shown);
  const found = [];
  for (const { ruling } of log) {
    if (!ruling || ruling.hand !== hand || seen.has(ruling.id)) continue;
    seen.add(ruling.id);
    found.push(ruling);
  }
  return found;
}

/** Return the statements that fit what was typed: `{text, note}`, the likeliest first. */
export function completions(typed, { forms, seats, clauses, rulings }, most = 8) {
  const words = typed.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = [];
  for (const form of forms) {
    for (const text of fill(form, words, seats, rulings)) {
      const score = fits(words, text.toLowerCase());
      if (score) found.push({ text, note: "", score });
    }
  }
  if (forms.some((form) => form.startsWith("report"))) {
    for (const clause of clauses) {
      const text = "report " + clause.id;
      const score = fits(words, (text + " " + clause.plain).toLowerCase());
      if (score) found.push({ text, note: clause.plain, score: score - (clause.finding === "report" ? 0 : 50) });
    }
  }
  found.sort((a, b) => b.score - a.score || a.text.length - b.text.length);
  const texts = new Set();
  return found.filter(({ text }) => !texts.has(text) && texts.add(text)).slice(0, most);
}

function fill(form, words, seats, rulings) {
  if (form.includes("RULING")) return rulings.map((id) => form.replace("RULING", id));
  if (!form.includes("SEAT")) return [form];
  const named = seats.filter((seat) => words.includes(seat.toLowerCase()));
  return (named.length ? named : ["SEAT"]).map((seat) => form.replace("SEAT", seat));
}

/** Every word must begin a word of the text; whole words and an early place count more. */
function fits(words, text) {
  const parts = text.split(/[\s=]+/);
  let score = 100;
  for (const word of words) {
    const at = parts.findIndex((part) => part.startsWith(word));
    if (at < 0) return 0;
    score += (parts[at] === word ? 3 : 1) - at / 10;
  }
  return score;
}
