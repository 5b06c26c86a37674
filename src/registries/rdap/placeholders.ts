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
export function isMeaningless(text: string): boolean {
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
