// A thread has no origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../clock.ts';
import { openJws, readKeys, UntrustedError } from '../../receipts/jws.ts';
import { readPayload, type Judgment, type Payload } from '../../receipts/payload.ts';
import { reasonsOf } from '../../receipts/reasons.ts';
import { isSameJudgment, urlOf } from '../../receipts/receipts.ts';
import { printable } from '../../shared/printable.ts';
import { isObject, jsonIn } from '../../shared/shapes.ts';
import type { CommandOptions } from '../command-table.ts';
import { CommandError } from '../command-error.ts';
import { printLine, type Surroundings } from '../surroundings.ts';

const maxBytes = 32 * 1024 * 1024;
const fetchMs = 4000;
/** Limits the whole command, because a hostile receipt may take forever. */
const maxMs = 12_000;

const verifyCodes = { holds: 0, fails: 1, unreadable: 2 } as const;

/**
 * Verifies a receipt, and prints the chain of reasons. Resolves to 0 if it holds. Rejects with
 * `CommandError`: 1 if the signature or the verdict does not hold, 2 if it cannot be read.
 */
export async function verify(
  source: string,
  { keys: keySource }: CommandOptions,
  { streams: { stdout } }: Surroundings,
): Promise<0> {
  const startedAt = systemClock.elapsed();
  const url = httpUrl(source);
  const text = (await readText(url ? apiUrlOf(url) : source)).trim();
  const keysAt = keySource ?? (url && keysUrlOf(url).href);
  if (keysAt === undefined)
    throw unreadable(
      'A receipt does not say which keys to trust: give the keys of its gateway with --keys, a file or the URL of its /.well-known/jwks.json.',
    );

  const body = text.startsWith('{') ? jsonIn(text) : undefined;
  const jws = text.startsWith('{') ? isObject(body) && body['jws'] : text;
  if (typeof jws !== 'string') throw unreadable('The file is neither a receipt nor a JWS.');

  const payload = open(jws, await readText(httpUrl(keysAt) ?? keysAt));
  if (isObject(body) && !isBodyOf(body, payload, jws))
    throw new CommandError(
      verifyCodes.fails,
      'The receipt does not hold: what the file says beside the signed content differs from it.',
    );

  const derived = await derive(payload, startedAt + maxMs - systemClock.elapsed());
  if (derived === undefined) throw unreadable('The recorded answers cannot be evaluated.');

  if (!isSameJudgment(derived, payload)) {
    const { verdict, rule } = derived;
    throw new CommandError(
      verifyCodes.fails,
      `The receipt does not hold: it states ${payload.verdict} by the rule ${payload.rule}, but its recorded answers lead to ${verdict} by ${rule}.`,
    );
  }

  for (const reason of reasonsOf({ ...payload, ...derived })) printLine(stdout, printable(reason));
  printLine(
    stdout,
    'The receipt holds: its signature is valid, and its bytes lead to this verdict.',
  );

  return verifyCodes.holds;
}

function open(jws: string, keys: string): Payload {
  let content: unknown;
  try {
    content = openJws(jws, readKeys(keys));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof UntrustedError)
      throw new CommandError(verifyCodes.fails, `The receipt does not hold. ${message}`);
    throw unreadable(message);
  }

  const payload = readPayload(content);
  if (payload) return payload;

  throw unreadable('The signed content does not have the format of a receipt.');
}

/** Returns whether the members of a body say the same as the signed content. */
function isBodyOf(body: Record<string, unknown>, payload: Payload, jws: string): boolean {
  const { id, domain, verdict, rule, created_at } = payload;
  const url = urlOf(payload);
  const expected: Record<string, unknown> = { id, domain, verdict, rule, created_at, jws, url };
  const names = Object.keys(expected);

  return (
    names.length === Object.keys(body).length && names.every((key) => body[key] === expected[key])
  );
}

/**
 * Derives the judgment in another thread, which is ended after this time. Resolves to undefined if it
 * cannot be derived. Rejects with `CommandError` if that takes longer.
 */
async function derive(payload: Payload, ms: number): Promise<Judgment | undefined> {
  const file = new URL(`derive-worker${extname(import.meta.filename)}`, import.meta.url);
  const worker = new Worker(file, { workerData: payload, stderr: true });
  const derived = new Promise<Judgment | undefined>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', () => resolve(undefined));
    worker.once('exit', () => resolve(undefined));
    const tooSlow = `The recorded answers were not evaluated within ${maxMs / 1000} seconds. On a busy machine, try again later.`;
    systemClock.after(ms, () => reject(unreadable(tooSlow)));
  });

  try {
    return await derived;
  } finally {
    await worker.terminate();
  }
}

function httpUrl(text: string): URL | undefined {
  return /^https?:\/\//i.test(text) ? (URL.parse(text) ?? undefined) : undefined;
}

/** Returns where a receipt is, by the address of it or of its page. */
function apiUrlOf(url: URL): URL {
  const api = new URL(url);
  if (!/\/v1\/receipts\//.test(url.pathname))
    api.pathname = url.pathname.replace(/\/receipts\/(?=[^/]+$)/, '/v1/receipts/');
  return api;
}

/** Returns where the keys of the gateway are that has a receipt, also under a prefix of its path. */
function keysUrlOf({ origin, pathname }: URL): URL {
  const prefix = pathname.replace(/(?:\/v1)?\/receipts\/[^/]+$/, '');
  return new URL(`${prefix === pathname ? '' : prefix}/.well-known/jwks.json`, origin);
}

async function readText(source: URL | string): Promise<string> {
  try {
    const text = await (source instanceof URL ? fetchText(source) : readRegularFile(source));
    if (text.length > maxBytes) throw new Error('It is too large.');
    return text;
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : { message: '', cause: undefined };
    const reason = cause instanceof Error ? cause.message : message;
    throw unreadable(`${String(source)} cannot be read: ${reason.split('\n')[0]}`);
  }
}

function readRegularFile(path: string): string {
  const file = statSync(path);
  if (!file.isFile()) throw new Error('It is not a file.');
  if (file.size > maxBytes) throw new Error('It is too large.');
  return readFileSync(path, 'utf8');
}

/** Fetches a text. A redirect could lead to the keys or the receipts of somebody else. */
async function fetchText(url: URL): Promise<string> {
  const response = await fetch(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(fetchMs),
    headers: { accept: 'application/json' },
  });
  if (!response.ok) throw new Error(`The server returned status ${response.status}.`);

  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw new Error('It is too large.');
  }

  return Buffer.concat(chunks).toString();
}

function unreadable(message: string): CommandError {
  return new CommandError(verifyCodes.unreadable, `The receipt cannot be read. ${message}`);
}
