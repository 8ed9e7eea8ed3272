// Two sounds: one for a stop, another for a question; none for the rest.

let context = null;

const TONES = {
  stop: [[330, 0, 0.22], [247, 0.26, 0.4]], // Hz, begins at s, lasts s
  open: [[660, 0, 0.16]],
};

export function isMuted() {
  return localStorage.getItem("muted") === "yes";
}

export function mute(is) {
  localStorage.setItem("muted", is ? "yes" : "no");
}

/** Browsers let a page sound only after a touch or a key. */
export function wake() {
  context ??= new AudioContext();
  context.resume();
}

export function sound(sort) {
  const tones = TONES[sort];
  if (!tones || isMuted() || context?.state !== "running") return;
  for (const [hz, at, lasts] of tones) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    const begins = context.currentTime + at;
    tone.frequency.value = hz;
    volume.gain.setValueAtTime(0.0001, begins);
    volume.gain.exponentialRampToValueAtTime(0.25, begins + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, begins + lasts);
    tone.connect(volume).connect(context.destination);
    tone.start(begins);
    tone.stop(begins + lasts);
  }
}
