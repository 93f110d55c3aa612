// Gentle sounds, made here and not fetched. They are off unless the reader's looks say data-sound="on".
//
//   play("place")    also: remove, refused, turn (it is yours), end

/** Every sound as notes: when it begins, how high it is, how long it rings, and how loud. */
const SOUNDS = {
  place: [[0, 520, 0.09, 0.5], [0, 260, 0.05, 0.5]],
  remove: [[0, 330, 0.14, 0.35], [0.07, 247, 0.22, 0.35]],
  refused: [[0, 196, 0.16, 0.4]],
  turn: [[0, 587, 0.18, 0.3], [0.12, 784, 0.3, 0.3]],
  end: [[0, 523, 0.3, 0.3], [0.16, 659, 0.3, 0.3], [0.32, 784, 0.6, 0.3]],
};
const LOUD = 0.25;

/** @type {AudioContext | null} */
let room = null;

/** Begins when it is first needed: browsers let a page sound only after its reader has done something. */
function here() {
  room ??= new AudioContext();
  if (room.state === "suspended") room.resume().catch(() => {});
  return room;
}

/** @param {keyof typeof SOUNDS} name */
export function play(name) {
  const silent = /** @type {any} */ (navigator).userActivation?.hasBeenActive === false;
  if (document.documentElement.dataset.sound !== "on" || silent) return;
  const air = here();
  for (const [when, pitch, rings, loud] of SOUNDS[name]) {
    const voice = air.createOscillator(), fade = air.createGain(), begins = air.currentTime + when;
    voice.type = "sine";
    voice.frequency.value = pitch;
    fade.gain.setValueAtTime(0, begins);
    fade.gain.linearRampToValueAtTime(loud * LOUD, begins + 0.008);
    fade.gain.exponentialRampToValueAtTime(0.0001, begins + rings);
    voice.connect(fade).connect(air.destination);
    voice.start(begins);
    voice.stop(begins + rings + 0.02);
  }
}
