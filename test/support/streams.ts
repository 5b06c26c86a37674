import type { Json } from './gateway.ts';

/** One server-sent event. */
export interface SentEvent {
  readonly event: string;
  /** Parsed; null for an event without data. */
  readonly data: Json;
}

/** The events of an answer as they come; comments are left out. Throws when the stream ends within one. */
export async function* eventsOf(response: Response): AsyncGenerator<SentEvent, void, void> {
  for await (const block of blocksOf(response, '\n\n', '')) {
    if (block.startsWith(':')) continue;
    const fields = Object.fromEntries(block.split('\n').map((line) => splitAt(line, ':')));
    yield {
      event: fields['event'] ?? 'message',
      data: fields['data'] ? JSON.parse(fields['data']) : null,
    };
  }
}

/** The lines of an NDJSON answer as they come. Throws when one is not JSON, or the last is not whole. */
export async function* linesOf(response: Response): AsyncGenerator<Json, void, void> {
  for await (const line of blocksOf(response, '\n', '')) yield JSON.parse(line);
}

/** The parts of a `multipart/mixed` answer as they come. Throws when one is not JSON, or the end is not the closing boundary. */
export async function* partsOf(
  response: Response,
  boundary = '-',
): AsyncGenerator<Json, void, void> {
  // The first boundary has no line break of its own before it.
  for await (const block of blocksOf(response, `\r\n--${boundary}`, '--\r\n', '\r\n')) {
    if (block === '') continue;
    const [head, body] = splitAt(block, '\r\n\r\n');
    if (!/^\r\nContent-Type: application\/json; charset=utf-8$/.test(head))
      throw new Error(`an odd head: ${JSON.stringify(head)}`);
    yield JSON.parse(body);
  }
}

/** All that an iterator has left. */
export async function remaining<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The next item. Throws when there is none. */
export async function next<T>(items: AsyncIterator<T>): Promise<T> {
  const { value, done } = await items.next();
  if (done) throw new Error('the stream has ended');
  return value;
}

async function* blocksOf(
  response: Response,
  separator: string,
  end: string,
  start = '',
): AsyncGenerator<string, void, void> {
  let text = start;
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split(separator);
    text = blocks.pop() ?? '';
    yield* blocks;
  }
  if (text !== end) throw new Error(`the stream ends with ${JSON.stringify(text)}`);
}

function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length).trim()];
}
