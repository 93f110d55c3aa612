// The clocks of a game, which run between two words of the server.

const HURRY = 20_000;

let game = null;
let here = 0;

/** The game as it was told when the browser's clock was at `here`. */
export function wind(newer) {
  [game, here] = [newer, newer.here];
  tick();
}

function tick() {
  if (!game?.clocks) return;
  document.querySelectorAll(".clock").forEach((/** @type {any} */ shown) => {
    const seat = Number(shown.dataset.seat);
    const running = game.state === "playing" && seat === game.to_move;
    const gone = running ? game.now - game.since + performance.now() - here : 0;
    const left = Math.max(0, game.clocks[seat] - gone);
    shown.textContent = time(left);
    shown.classList.toggle("hurry", running && left < HURRY);
  });
}

function time(ms) {
  const seconds = Math.ceil(ms / 1000);
  if (seconds >= 86400) return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

setInterval(tick, 250);
