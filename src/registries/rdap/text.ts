import type { Json } from '../../domain/registration.ts';
import countries from './countries.json' with { type: 'json' };

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

/**
 * Returns the code of a country (ISO 3166-1 alpha-2, upper case) that a text is, or that it is the
 * alpha-3 code of. Undefined for names, and for what is no country there, such as `EU` and `AP`.
 */
export function asCountryCode(json: Json | undefined): string | undefined {
  const text = asText(json)?.toUpperCase() ?? '';
  const code = otherCodes.get(text) ?? text;
  return countryCodes.has(code) ? code : undefined;
}

/** `UK` and `EL` are reserved at the request of their countries, and the codes of the EU. */
const otherCodes: ReadonlyMap<string, string> = new Map([
  ['UK', 'GB'],
  ['EL', 'GR'],
  ...countries.flatMap((line) =>
    line.split(' ').map((pair): [string, string] => [pair.slice(0, 3), pair.slice(4)]),
  ),
]);

const countryCodes: ReadonlySet<string> = new Set(otherCodes.values());

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

/**
 * Returns whether a text only says that a value is withheld, such as `REDACTED FOR PRIVACY`.
 * `Redacted Ltd` is a name.
 */
export function isPlaceholder(text: string): boolean {
  return redacted.test(text) || withheld.test(text) || holders.test(text);
}

/**
 * Returns whether a handle only says that the handle is withheld, such as `REDACTED-SIDN`. Unlike a
 * name, it is a placeholder whatever follows.
 */
export function isPlaceholderHandle(text: string): boolean {
  return isPlaceholder(text) || /(?:^|[ _-])(?:redacted|withheld|masked)(?:[ _-]|$)/i.test(text);
}

/** Returns whether an e-mail address or `mailto:` URI only says that the address is withheld. */
export function isPlaceholderEmail(text: string): boolean {
  return mailboxes.test(text);
}

/**
 * Returns whether a telephone number or `tel:` URI has no digits but zeros, such as `+0.00000000`.
 */
export function isPlaceholderPhone(text: string): boolean {
  return /^(?:tel:\s*)?[+(]?0[0().\s-]*$/i.test(text);
}

/**
 * Returns whether a text means "no value", such as `none`, `n/a` or `-`. Unlike a placeholder, it
 * does not imply that a value exists.
 */
function isMeaningless(text: string): boolean {
  return /^(?:not[ _-](?:applicable|available(?: from registry)?)|none|null|undefined|unknown|n\/a|[-.*?]+)$/i.test(
    text,
  );
}

// RFC 9537 section 3 forbids placeholder text, but most servers still send it.
const redacted =
  /^(?:(?:data|gdpr|value) )?redacted(?:[ _-](?:for|by|due|per|in|under)(?![a-z]).*| ?\|.*| ?\([^()]*\)| (?:registrant|admin|administrative|tech|technical|billing)(?: contact)?)?$/i;
const withheld =
  /^[[<]?(?:(?:data|gdpr|data privacy) (?:protected|masked|withheld|not disclosed)(?:, not disclosed)?|statutory masking enabled|withheld for privacy(?: purposes)?|non-public data|not[ _-](?:disclosed|published|public)|private(?: person)?|hidden|personal data, can ?not be publicly disclosed according to applicable laws\.?)[\]>]?$/i;

// AFNIC's anonymous registrant; the registrant of a private .ua name, in both languages.
const holders =
  /^(?:ano nymous|registrant information is not published|інформація про реєстранта не публікується)$/iu;

// Sent by Nominet, PDR and IONOS. `privacy@…` and `…@withheldforprivacy.com` are real mailboxes.
const mailboxes =
  /^(?:mailto:)?(?:redacted(?:[._-]?for[._-]?privacy)?|(?:data|gdpr)[._-]?(?:redacted|masked|masking|withheld)|data[._-]?(?:privacy[._-]?)?protected|withheld[._-]?for[._-]?privacy|not[._-]?(?:disclosed|published|public))@[^@\s]+$/i;
