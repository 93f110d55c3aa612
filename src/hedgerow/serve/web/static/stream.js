// Answers that come line by line, one JSON object each.

/** The objects of a stream of lines, as they come. @param {Response} answer */
export async function* lines(answer) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) if (part) yield JSON.parse(part);
  }
}
