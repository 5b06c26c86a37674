import type { Json } from '../gateways/gateway.ts';

/** One server-sent event. */
export interface SentEvent {
  readonly event: string;
  /** Parsed JSON; null for an event without data. */
  readonly data: Json;
}

/**
 * Yields the events of a response as they arrive, without comments. Throws if the stream ends
 * within an event.
 */
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

/**
 * Yields the lines of an NDJSON response as they arrive. Throws if one is not JSON, or the last is
 * incomplete.
 */
export async function* linesOf(response: Response): AsyncGenerator<Json, void, void> {
  for await (const line of blocksOf(response, '\n', '')) yield JSON.parse(line);
}

/**
 * Yields the parts of a `multipart/mixed` response as they arrive. Throws if one is not JSON, or
 * the closing boundary is missing.
 */
export async function* partsOf(
  response: Response,
  boundary = '-',
): AsyncGenerator<Json, void, void> {
  // No line break precedes the first boundary.
  for await (const block of blocksOf(response, `\r\n--${boundary}`, '--\r\n', '\r\n')) {
    if (block === '') continue;
    const [head, body] = splitAt(block, '\r\n\r\n');
    if (!/^\r\nContent-Type: application\/json; charset=utf-8$/.test(head))
      throw new Error(`Unexpected part headers: ${JSON.stringify(head)}`);
    yield JSON.parse(body);
  }
}

/** Returns the remaining items of an iterator. */
export async function remaining<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Returns the next item. Throws if there is none. */
export async function next<T>(items: AsyncIterator<T>): Promise<T> {
  const { value, done } = await items.next();
  if (done) throw new Error('The stream has ended.');
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
  if (text !== end) throw new Error(`Unexpected end of the stream: ${JSON.stringify(text)}`);
}

function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length).trim()];
}
