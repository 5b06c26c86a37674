import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { publicJwkOf, signJws } from '../../src/receipts/jws.ts';
import { readPayload } from '../../src/receipts/payload.ts';
import {
  commandLineEnvironment,
  runCommandLine,
  runProcess,
} from '../support/gateways/command-line.ts';
import { forThisFile } from '../support/for-this-file.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { scratch } from '../support/stores/scratch.ts';
import { seededRandom } from '../support/time/random.ts';
import { receiptMaker } from './receipt-maker.ts';

const folder = await forThisFile(scratch);
const env = commandLineEnvironment(folder.path);
const mebibyte = 1024 * 1024;

/** Signs with a key of this test, which the verifier trusts. */
const ours = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const trusted = publicJwkOf(ours.x ?? '');
const keysFile = join(folder.path, 'keys.json');
await writeFile(keysFile, JSON.stringify({ keys: [trusted] }));

const base64Url = (text: string) => Buffer.from(text).toString('base64url');
const partsOf = (header: object, content = '{}', signature = 'AA') =>
  [JSON.stringify(header), content].map(base64Url).concat(signature).join('.');
const signed = (content: object) => signJws(content, trusted.kid, ours);

/** A payload that holds, and is about a plain lookup with several sources. */
const genuine: Json = await (async () => {
  await using maker = receiptMaker();
  const random = seededRandom(1);
  for (;;) {
    const { jws } = await maker.make(random);
    const content: Json = JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString());
    if (content.exchanges.some(({ body }: Json) => body?.text)) return content;
  }
})();

async function verify(text: string, keys = keysFile, runs = runCommandLine) {
  const file = join(folder.path, 'receipt');
  await writeFile(file, text);
  const { code, stdout, stderr } = await runs(['verify', file, '--keys', keys], env);
  return { code, stdout, lines: stderr.split('\n').slice(0, -1) };
}

/** The command has ended within 15 s: the runner would have killed it. */
async function expectRefused(
  text: string,
  code: 1 | 2,
  { keys = keysFile, runs = runCommandLine } = {},
): Promise<void> {
  const result = await verify(text, keys, runs);
  expect(result).toEqual({ code, stdout: '', lines: [expect.stringMatching(/^The receipt /)] });
  expect(result.lines[0]).not.toMatch(/node:internal|\bat .+:\d+:\d+|Error:/);
  expect(result.lines[0]?.length).toBeLessThan(300);
}

it('accepts the receipt that the others are made of', { timeout: 30_000 }, async () => {
  expect(await verify(signed(genuine))).toMatchObject({ code: 0, lines: [] });
});

const deep = '['.repeat(100_000) + ']'.repeat(100_000);
const header = { alg: 'EdDSA', kid: trusted.kid };
const input = `${base64Url('{"alg":"HS256"}')}.${base64Url(JSON.stringify(genuine))}`;
const stranger = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const strangerJwk = publicJwkOf(stranger.x ?? '');

const files: readonly (readonly [what: string, text: () => string, code: 1 | 2])[] = [
  ['an empty file', () => '', 2],
  ['white space', () => ' \n\t', 2],
  ['zeros', () => '\0'.repeat(1000), 2],
  ['50 MB', () => 'a'.repeat(50 * mebibyte), 2],
  ['30 MB of dots', () => '.'.repeat(30 * mebibyte), 2],
  ['30 MB of base64', () => `${'A'.repeat(30 * mebibyte)}.AA.AA`, 2],
  ['30 MB of members', () => `{${'"a":1,'.repeat(5 * mebibyte)}"jws":"a"}`, 2],
  ['deep JSON', () => deep, 2],
  ['deep JSON in a body', () => `{"jws":${deep}}`, 2],
  ['deep JSON beside a JWS', () => `{"jws":${JSON.stringify(signed(genuine))},"x":${deep}}`, 1],
  ['a JSON that ends early', () => '{"jws":"', 2],
  ['an array', () => '[]', 2],
  ['null', () => 'null', 2],
  ['a JWS that is a number', () => '{"jws":1}', 2],
  ['deep JSON as a header', () => `${base64Url(deep)}.AA.AA`, 2],
  ['alg none', () => partsOf({ alg: 'none', kid: trusted.kid }, JSON.stringify(genuine), ''), 2],
  ['alg none with a signature', () => partsOf({ alg: 'none', kid: trusted.kid }), 2],
  [
    'alg HS256 with the public key as the secret',
    () => `${input}.${createHmac('sha256', trusted.x).update(input).digest('base64url')}`,
    2,
  ],
  ['no kid', () => partsOf({ alg: 'EdDSA' }), 2],
  ['a kid of another type', () => partsOf({ alg: 'EdDSA', kid: [trusted.kid] }), 2],
  ['an unknown kid', () => signJws(genuine, strangerJwk.kid, stranger), 1],
  ['an unknown kid with a trusted signature', () => signJws(genuine, strangerJwk.kid, ours), 1],
  ['the kid of another key', () => signJws(genuine, trusted.kid, stranger), 1],
  ['a key in the header', () => signWith({ ...header, kid: strangerJwk.kid, jwk: strangerJwk }), 2],
  ['a critical extension', () => signWith({ ...header, crit: ['b64'], b64: false }), 2],
  ['two signatures', () => `${signed(genuine)}.AA`, 2],
  [
    'JSON serialization with two signatures',
    () => JSON.stringify({ payload: 'AA', signatures: [{}, {}] }),
    2,
  ],
  ['another version', () => signed({ ...genuine, format: 'rdap-gateway-receipt/2' }), 2],
  ['an unknown member', () => signed({ ...genuine, note: 'x' }), 2],
  ['__proto__', () => `{"__proto__":{"jws":"${signed(genuine)}"}}`, 2],
  ['another verdict', () => signed({ ...genuine, verdict: 'pending_delete' }), 1],
  ['another rule', () => signed({ ...genuine, rule: 'registry_status' }), 1],
  ['no exchanges', () => signed({ ...genuine, exchanges: [] }), 2],
  ['an invalid name', () => signed({ ...genuine, domain: '..' }), 2],
  ['a body for another receipt', () => JSON.stringify({ jws: signed(genuine), id: 'x' }), 1],
  ['a base64 bomb', () => signed(withBodies({ base64: 'A'.repeat(20 * mebibyte) })), 2],
  ['a body of deep JSON', () => signed(withBodies({ text: deep })), 2],
  [
    'redirects in a circle',
    () => signed(withExchanges(({ url }) => ({ status: 302, headers: { location: url } }))),
    2,
  ],
];

/** What takes the verifier the longest runs in a process of its own. */
const asProcess = /members|of deep JSON|circle/;

/** Signs with a header of its own, by the key of this test. */
function signWith(own: object): string {
  const [, content, signature] = signed(genuine).split('.');
  return [base64Url(JSON.stringify(own)), content, signature].join('.');
}

function withExchanges(change: (exchange: Json) => object) {
  const exchanges = genuine.exchanges.map((each: Json) =>
    each.source === 'rdap' ? { ...each, ...change(each) } : each,
  );
  return { ...genuine, exchanges };
}

function withBodies(content: object) {
  const body = { media_type: 'application/rdap+json', size: 1, redacted: false, ...content };
  return withExchanges(() => ({ status: 200, headers: {}, body }));
}

it.each(Object.keys(genuine))('a payload has no %s of another type', (member) => {
  expect(readPayload(genuine)).toEqual(genuine);
  for (const value of [undefined, true, {}, [[]], member === 'reason' ? 0 : null])
    expect(readPayload({ ...genuine, [member]: value })).toBeUndefined();
});

describe('rdap-gateway verify refuses', { timeout: 30_000 }, () => {
  it.each(files)('%s', async (what, text, code) => {
    await expectRefused(text(), code, { runs: asProcess.test(what) ? runProcess : runCommandLine });
  });

  it.each([
    ['an empty file', ''],
    ['deep JSON', deep],
    ['no keys', '{"keys":[]}'],
    ['a symmetric key', '{"keys":[{"kty":"oct","k":"AA","kid":"a"}]}'],
    ['a short key', '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA","kid":"a"}]}'],
  ])('keys: %s', async (_what, text) => {
    const keys = join(folder.path, 'other-keys.json');
    await writeFile(keys, text);
    await expectRefused(signed(genuine), 2, { keys });
  });
});
