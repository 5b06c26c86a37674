import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

declare const brand: unique symbol;

/** The text of a key whose checksum is right, which says nothing of whether anybody holds it. */
export type ApiKey = string & { readonly [brand]: true };

/** What the store holds of a key: 32 bytes in hexadecimal. */
export type KeyHash = string & { readonly [brand]: 'hash' };

/** How a key begins, so that scanners and people recognise one that leaked. */
const keyPrefix = 'rgw_';

/** A new key: prefix, 256 random bits, checksum; letters and digits alone, so that a double click selects it whole. */
export function generateKey(): ApiKey {
  const secret = Array.from({ length: secretLength }, () => digits[randomInt(digits.length)]).join(
    '',
  );
  return (keyPrefix + secret + checksum(secret)) as ApiKey;
}

/** Reads a key as it was typed; undefined for one that `makeKey` cannot have made, so that a slip of the hand costs no look-up. */
export function parseKey(text: string): ApiKey | undefined {
  if (!keyPattern.test(text)) return undefined;
  const secret = text.slice(keyPrefix.length, -checksumLength);
  return text.endsWith(checksum(secret)) ? (text as ApiKey) : undefined;
}

/**
 * SHA-256 without salt or stretching, as 256 random bits cannot be guessed. Keys are found by their hash in an index: how long that takes
 * may tell something of a hash, and nothing of any key, so no comparison needs constant time.
 */
export function hashOf(key: ApiKey): KeyHash {
  return hash('sha256', key, 'hex') as KeyHash;
}

/** The text without the keys that stand in it, also those cut short: what is told of a mistake ends up in logs and tickets. */
export function redactKeys(text: string): string {
  return text.replace(/rgw_[0-9a-z]{8,}/gi, `${keyPrefix}…`);
}

const secretLength = 43; // 62^43 > 2^256
const checksumLength = 6; // 62^6 > 2^32
const keyPattern = new RegExp(`^${keyPrefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** CRC-32 in base 62. */
function checksum(secret: string): string {
  let text = '';
  for (let rest = crc32(secret); rest > 0; rest = Math.floor(rest / digits.length))
    text = digits[rest % digits.length] + text;
  return text.padStart(checksumLength, '0');
}
