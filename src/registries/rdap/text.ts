import type { Json } from '../../domain/registration.ts';
import { isMeaningless, isPlaceholder, isPlaceholderHandle } from './placeholders.ts';

/**
 * Returns a text as one line, without control and bidi-control characters. Undefined if nothing
 * remains.
 */
export function asText(json: Json | undefined): string | undefined {
  if (typeof json !== 'string') return undefined;
  // The fast path applies to nearly all texts, and each text is read several times.
  if (json.length <= maxTextLength && plainAscii.test(json)) return json;
  const visible = json
    .slice(0, maxTextLength)
    .toWellFormed()
    .replace(bidiControls, '')
    .replace(/[\s\p{Cc}]+/gu, ' ');
  return visible.trim() || undefined;
}

/**
 * Returns a text unless it is a placeholder such as `REDACTED FOR PRIVACY`, or means "no value".
 */
export function asMeaningfulText(json: Json | undefined): string | undefined {
  const text = asText(json);
  return text !== undefined && !isPlaceholder(text) && !isMeaningless(text) ? text : undefined;
}

/** Returns a handle or an id, which some servers send as a number. */
export function asIdentifier(json: Json | undefined): string | undefined {
  const text = asMeaningfulText(typeof json === 'number' ? String(json) : json);
  return text !== undefined && !isPlaceholderHandle(text) ? text : undefined;
}

/**
 * Returns an `http:` or `https:` URL. Other schemes are rejected, because a registrant can put
 * `javascript:` into a contact.
 */
export function asWebUrl(json: Json | undefined): string | undefined {
  const text = asText(json);
  return text !== undefined && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined;
}

/**
 * Returns a text in lower case, for case-insensitive values such as roles, actions and host names.
 */
export function asLowerCaseText(json: Json | undefined): string | undefined {
  return asText(json)?.toLowerCase();
}

/** Returns a code of two letters, upper case (ISO 3166-1 alpha-2). */
export function asCountryCode(json: Json | undefined): string | undefined {
  const text = asText(json);
  return text !== undefined && /^[a-z]{2}$/i.test(text) ? text.toUpperCase() : undefined;
}

/** Returns a name in lower case without trailing dots. */
export function asHostName(json: Json | undefined): string | undefined {
  return asLowerCaseText(json)?.replace(/(?<!\.)\.+$/, '') || undefined;
}

/** The longest name, handle or street in 124 real responses has 110 characters. */
const maxTextLength = 1_000;

/** Printable ASCII with single spaces between words. */
const plainAscii = /^[!-~]+(?: [!-~]+)*$/;

// They change the direction of the following text, so that one name can look like another.
const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]/g;
