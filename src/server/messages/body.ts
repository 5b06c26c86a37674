import type { IncomingMessage } from 'node:http';
import { Problem } from '../../domain/problems.ts';

const maxBodyBytes = 64 * 1024;
const maxChunks = 100;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON body of at most 64 KiB. Stops reading at the limit. Throws `unsupported_media_type`,
 * `payload_too_large`, `invalid_body` or `request_timeout`.
 */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  return parseJson(await readJsonText(request));
}

/** Reads a JSON body without parsing it. Throws like `readJsonBody`. */
export function readJsonText(request: IncomingMessage): Promise<string> {
  return readText(request, 'application/json');
}

/** Reads the fields of an HTML form. Throws like `readJsonBody`. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams(await readText(request, 'application/x-www-form-urlencoded'));
}

async function readText(request: IncomingMessage, expectedType: string): Promise<string> {
  const [mediaType = '', ...parameters] = (request.headers['content-type'] ?? '')
    .toLowerCase()
    .split(';');
  const charset =
    parameters
      .map((parameter) => /^charset="?([^"]+)"?$/.exec(parameter.trim())?.[1])
      .find(Boolean) ?? 'utf-8';
  if (mediaType.trim() !== expectedType || !/^utf-?8$/.test(charset)) {
    throw new Problem('unsupported_media_type', `Send the body as ${expectedType} in UTF-8.`);
  }
  if (request.headers['content-encoding'] !== undefined)
    throw new Problem('unsupported_media_type', 'Send the body without Content-Encoding.');

  const bytes = await readBytes(request);
  return orInvalidBody(() => utf8.decode(bytes));
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw payloadTooLarge();
  // Only possible in a server that mounts the gateway.
  if (request.readableEnded)
    throw new Error('The body was read already. Mount the gateway before body parsers.');
  // Reading the request as an async iterable takes four times as long.
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBodyBytes) {
        request.pause();
        return reject(payloadTooLarge());
      }

      chunks.push(chunk);
      // A buffer of one byte takes 400 bytes of memory.
      if (chunks.length === maxChunks) chunks = [Buffer.concat(chunks)];
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));

    // An incomplete body is the client's fault, so it must not be logged as an internal error.
    const rejectAborted = (cause?: unknown) =>
      reject(new Problem('request_timeout', 'The body is incomplete. Send it again.', { cause }));
    request.on('error', rejectAborted);

    // The client may have disconnected before the listeners were added.
    if (request.destroyed) rejectAborted();
  });
}

/** Parses JSON. Throws `invalid_body`. */
export function parseJson(text: string): unknown {
  return orInvalidBody(() => JSON.parse(text));
}

function orInvalidBody<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Problem('invalid_body', 'The body is not valid JSON in UTF-8.', {
      param: 'body',
      cause: error,
    });
  }
}

function payloadTooLarge(): Problem {
  return new Problem(
    'payload_too_large',
    `The body is too large. Send at most ${maxBodyBytes} bytes.`,
  );
}
