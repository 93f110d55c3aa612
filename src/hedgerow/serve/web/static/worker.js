// The service worker: shows what the server pushes to this browser, and leads to the game when it is pressed. It keeps
// nothing and answers no requests.

/** @type {any} */
const worker = self;

worker.addEventListener("push", (/** @type {any} */ event) => event.waitUntil(show(event.data?.json() ?? {})));

worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(visit(event.notification.data));
});

/** @param {{text?: string, game?: string}} told */
async function show({ text = "", game = "" }) {
  const where = game ? `/games/${game}` : "/notices";
  const open = await worker.clients.matchAll({ type: "window" });
  if (open.some((/** @type {any} */ page) => page.focused && new URL(page.url).pathname === where)) return;
  await worker.registration.showNotification("Hedgerow", { body: text, tag: where, data: where, icon: "/static/favicon.svg" });
}

/** @param {string} where */
async function visit(where) {
  const open = await worker.clients.matchAll({ type: "window" });
  const there = open.find((/** @type {any} */ page) => new URL(page.url).pathname === where);
  return there ? there.focus() : worker.clients.openWindow(where);
}
