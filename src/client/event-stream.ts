/** An event of a stream (WHATWG HTML, "server-sent events"), of the fields that the gateway sends. */
interface StreamEvent {
  readonly type: string;
  readonly data: string;
}

/** Yields the events of a response as they arrive. Leaving the loop ends the request. */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<StreamEvent, void, void> {
  // Not `for await`: Safari's streams are not iterable.
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const events = (text + part.value).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) if (!event.startsWith(':')) yield parseEvent(event);
    }
  } finally {
    await reader.cancel();
  }
}

function parseEvent(text: string): StreamEvent {
  const valueOf = (field: string) => new RegExp(`^${field}: ?(.*)$`, 'm').exec(text)?.[1] ?? '';
  return { type: valueOf('event'), data: valueOf('data') };
}
