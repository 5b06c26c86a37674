/**
 * A local part of at most 64 octets (RFC 5321 section 4.5.3.1), and a domain whose last label begins
 * with a letter, unlike the version in `vue@3.5.1`. `@name@example.com` is a profile, and
 * `logo@2x.png` a file. In URLs, `@` may be written as `%40`.
 */
const emailAddress =
  /(?<![^\s@<>()[\]{},;:"'=/\\?&%#])(?<!(?:^|[\s<>()[\]{},;:"'=/\\?&%#])@)[^\s@<>()[\]{},;:"'=/\\?&%#]{1,64}(?:@|%40)(?:[^\s@<>()[\]{},;:"'=/\\?&%#.]{1,63}\.){1,8}(?!(?:avif|css|gif|ico|jpe?g|js|png|svg|webp)(?![a-z]))[a-z\u0080-\uffff][^\s@<>()[\]{},;:"'=/\\?&%#.]{1,62}(?!\.?[a-z\d])/i;
const emailAddresses = new RegExp(emailAddress, 'gi');

/** Returns whether a text contains an e-mail address, which is never collected. */
export function containsEmailAddress(text: string): boolean {
  return emailAddress.test(text);
}

/** Returns a text without the e-mail addresses in it. */
export function withoutEmailAddresses(text: string): string {
  return text.replace(emailAddresses, '');
}
