import type { Json } from '../../../domain/registration.ts';
import { isMeaningless, isPlaceholder } from './placeholders.ts';

/** A text as a person may see it: one line, without control and bidi-control characters. Undefined when nothing is left. */
export function asText(json: Json | undefined): string | undefined {
  if (typeof json !== 'string') return undefined;
  // Nearly all texts are so, and each is looked at several times.
  if (json.length <= maxTextLength && plainAscii.test(json)) return json;
  const visible = json
    .slice(0, maxTextLength)
    .toWellFormed()
    .replace(bidiControls, '')
    .replace(/[\s\p{Cc}]+/gu, ' ');
  return visible.trim() || undefined;
}

/** A text that says something: `REDACTED FOR PRIVACY` and its like are no name, no handle and no street. */
export function asMeaningfulText(json: Json | undefined): string | undefined {
  const text = asText(json);
  return text !== undefined && !isPlaceholder(text) && !isMeaningless(text) ? text : undefined;
}

/** A handle or an id, which some servers send as a number. */
export function asIdentifier(json: Json | undefined): string | undefined {
  return asMeaningfulText(typeof json === 'number' ? String(json) : json);
}

/** Only `http:` and `https:` may become a link: a registrant can write `javascript:` into a contact. */
export function asWebUrl(json: Json | undefined): string | undefined {
  const text = asText(json);
  return text !== undefined && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined;
}

/** A text in lower case: roles, actions and host names mean the same in any case, and come in all. */
export function asLowerCaseText(json: Json | undefined): string | undefined {
  return asText(json)?.toLowerCase();
}

/** The longest name, handle or street in 124 real answers has 110 characters. */
const maxTextLength = 1_000;

/** ASCII that can be seen, and single spaces between. */
const plainAscii = /^[!-~]+(?: [!-~]+)*$/;

// They turn the direction of the text that follows, so that one name reads as another.
const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]/g;
