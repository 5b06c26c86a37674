import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Returns a token for a form. Browsers send passwords along with every request, but pages of other
 * sites cannot read a token, so they cannot send the form. `secret`: shared by all nodes that may
 * receive the form. `purpose`: who may send it, and what it does. `now`: epoch ms.
 */
export function createFormToken(secret: string, purpose: string, now: number): string {
  return signed(`${now}.${randomBytes(12).toString('base64url')}`, secret, purpose);
}

/** Returns whether a token was created for this purpose in the last 12 hours. */
export function isFormToken(token: string, secret: string, purpose: string, now: number): boolean {
  const sent = Buffer.from(token);
  const own = Buffer.from(signed(token.slice(0, token.lastIndexOf('.')), secret, purpose));

  const isSigned = sent.length === own.length && timingSafeEqual(sent, own);
  return isSigned && Math.abs(now - Number.parseInt(token, 10)) <= maxAgeMs;
}

function signed(text: string, secret: string, purpose: string): string {
  // SHA-512/256 resists length extension, so prefixing the secret is as safe as HMAC.
  return `${text}.${hash('sha512-256', JSON.stringify([secret, text, purpose]), 'base64url')}`;
}

/** Shorter than idempotency keys live, which make a token work only once. */
const maxAgeMs = 12 * 60 * 60 * 1000;
