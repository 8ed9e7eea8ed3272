// The line to the controller: one stream of events, and requests beside it.

const COULD_NOT = { ok: false, status: 0, body: { reason: "" } };

/** Ask; never throws. */
export async function ask(method, path, body, proof) {
  const headers = { "x-misdeal-proof": proof ?? "" };
  if (body !== undefined) headers["content-type"] = "application/json";
  try {
    const reply = await fetch(path, {
      method, headers, credentials: "same-origin",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const isJson = (reply.headers.get("content-type") ?? "").includes("json");
    return { ok: reply.ok, status: reply.status, body: isJson ? await reply.json() : {} };
  } catch {
    return COULD_NOT;
  }
}

/**
 * Follow the stream; whatever it says goes to `tell(event, body)`, a lost line as "lost".
 * A browser that was refused does not try again by itself: then we do, from where we were.
 * Returns a function that ends it.
 */
export function follow(tell) {
  let source = null;
  let lastId = "";
  let timer = 0;
  let isOver = false;

  const end = () => {
    isOver = true;
    clearTimeout(timer);
    source?.close();
  };
  const take = (name) => (event) => {
    lastId = event.lastEventId || lastId;
    tell(name, JSON.parse(event.data));
    if (name === "signed-out") end();
  };
  const open = async () => {
    if (isOver) return;
    source = new EventSource("/api/v1/stream" + (lastId ? "?after=" + encodeURIComponent(lastId) : ""));
    for (const name of ["snapshot", "table", "readers", "pulse", "signed-out"]) {
      source.addEventListener(name, take(name));
    }
    source.onerror = () => {
      if (isOver) return;
      tell("lost", null);
      source.close();
      timer = setTimeout(retry, 1000);
    };
  };
  const retry = async () => {
    const me = await ask("GET", "/api/v1/info");
    if (me.status === 401) {
      end();
      tell("signed-out", null);
    } else if (me.ok) {
      open();
    } else {
      timer = setTimeout(retry, 1000);
    }
  };
  open();
  return end;
}
