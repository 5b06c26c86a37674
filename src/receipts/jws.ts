import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { isObject, jsonIn } from '../shared/shapes.ts';

/** A public key of Ed25519 as a JWK (RFC 8037 section 2). */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

/** A text is not a JWS of the expected form, or a file has no keys. */
export class UnreadableError extends Error {}

/** The signature is not by a trusted key. */
export class UntrustedError extends Error {}

/** Returns the public key of a private one, whose `kid` is its thumbprint (RFC 7638). */
export function publicJwkOf(x: string): PublicJwk {
  const members = { crv: 'Ed25519', kty: 'OKP', x } as const;
  const kid = createHash('sha256').update(JSON.stringify(members)).digest('base64url');
  return { ...members, kid, alg: 'EdDSA', use: 'sig' };
}

/** Signs a payload. Returns a compact JWS (RFC 7515 section 7.1). */
export function signJws(payload: object, kid: string, privateJwk: object): string {
  const parts = [{ alg: 'EdDSA', kid }, payload].map((part) => toBase64Url(JSON.stringify(part)));
  const input = parts.join('.');
  const key = createPrivateKey({ key: privateJwk as never, format: 'jwk' });
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
}

/**
 * Returns the payload of a compact JWS that one of the keys has signed. Throws `UnreadableError` or
 * `UntrustedError`. A key inside the JWS is never used.
 */
export function openJws(jws: string, keys: readonly PublicJwk[]): unknown {
  const parts = jws.split('.', 4);
  const [header, payload, signature] = parts.map(fromBase64Url);
  if (parts.length !== 3 || !header || !payload || !signature)
    throw new UnreadableError('It is not a compact JWS.');

  const { alg, kid, ...others } = objectIn(header);
  if (alg !== 'EdDSA' || typeof kid !== 'string' || Object.keys(others).length > 0)
    throw new UnreadableError('Its header is not the algorithm EdDSA with the id of a key.');

  const named = keys.filter((key) => key.kid === kid);
  if (named.length === 0)
    throw new UntrustedError('It is signed with a key that is not among the trusted ones.');

  const input = Buffer.from(jws.slice(0, jws.lastIndexOf('.')));
  const isSigned = named.some((key) => verify(null, input, publicKeyOf(key), signature));
  if (!isSigned) throw new UntrustedError('The signature does not fit the content.');

  return objectIn(payload);
}

/** Returns the keys of a JWK set that can have signed a receipt. Throws `UnreadableError`. */
export function readKeys(text: string): readonly PublicJwk[] {
  const set = jsonIn(text);
  const listed = isObject(set) && Array.isArray(set['keys']) ? set['keys'] : [];
  const keys = listed.filter((key): key is PublicJwk => isObject(key) && isEd25519(key));
  if (keys.length === 0)
    throw new UnreadableError('The keys are not a JWK set with an Ed25519 key.');
  return keys;
}

function isEd25519({ kty, crv, x, kid }: Record<string, unknown>): boolean {
  const isKey = kty === 'OKP' && crv === 'Ed25519' && typeof kid === 'string';
  return isKey && typeof x === 'string' && Buffer.from(x, 'base64url').length === 32;
}

function publicKeyOf({ kty, crv, x }: PublicJwk) {
  return createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
}

function objectIn(bytes: Buffer): Record<string, unknown> {
  const json = jsonIn(bytes.toString());
  if (isObject(json)) return json;
  throw new UnreadableError('A part of the JWS is not a JSON object.');
}

function toBase64Url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** Returns undefined for another text than the encoding has: bits that do not count are 0. */
function fromBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return text !== '' && bytes.toString('base64url') === text ? bytes : undefined;
}
