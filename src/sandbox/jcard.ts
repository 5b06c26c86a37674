/** A property of a jCard (RFC 7095 section 3.3). */
export type JcardProperty = readonly [
  name: string,
  parameters: Readonly<Record<string, string | string[]>>,
  type: string,
  value: unknown,
];

/** A jCard (RFC 7095). */
export type Jcard = ['vcard', JcardProperty[]];

/** Returns a jCard with these properties. */
export function jcard(...properties: JcardProperty[]): Jcard {
  return ['vcard', [['version', {}, 'text', '4.0'], ...properties]];
}
