import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

declare const brand: unique symbol;

/** A key with a valid checksum. It need not belong to an account. */
export type ApiKey = string & { readonly [brand]: true };

/** The stored form of a key: 32 bytes in hexadecimal. */
export type KeyHash = string & { readonly [brand]: 'hash' };

/** Lets scanners and people recognise a leaked key. */
const keyPrefix = 'rgw_';

/**
 * Generates a key: prefix, 256 random bits, checksum. Letters and digits only after the prefix, so
 * that a double click selects all of it.
 */
export function generateKey(): ApiKey {
  const secret = Array.from({ length: secretLength }, () => digits[randomInt(digits.length)]).join(
    '',
  );
  return (keyPrefix + secret + checksum(secret)) as ApiKey;
}

/**
 * Parses a key. Returns undefined if `generateKey` cannot have created it, so that a typing error
 * costs no lookup in the store.
 */
export function parseKey(text: string): ApiKey | undefined {
  if (!keyPattern.test(text)) return undefined;
  const secret = text.slice(keyPrefix.length, -checksumLength);
  return text.endsWith(checksum(secret)) ? (text as ApiKey) : undefined;
}

/**
 * Returns the SHA-256 hash of a key, without salt or stretching, since 256 random bits cannot be
 * guessed. Keys are found by an index on the hash: its timing may leak part of a hash but nothing
 * of a key, so constant-time comparison is unnecessary.
 */
export function hashOf(key: ApiKey): KeyHash {
  return hash('sha256', key, 'hex') as KeyHash;
}

/**
 * Replaces the keys in a text, including truncated ones: error messages end up in logs and tickets.
 */
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
