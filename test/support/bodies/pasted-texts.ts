// What typed or pasted texts mean. The search page and the command line read them alike.

/** Texts with one name, with that name. */
export const plainTexts: readonly (readonly [text: string, name: string])[] = [
  ['example', 'example'],
  ['  Example  ', 'example'],
  ['“example”,', 'example'],
  ['example!', 'example'],
  ['example.', 'example'],
  ['123', '123'],
  ['example.com', 'example.com'],
  ['EXAMPLE.CO.UK', 'example.co.uk'],
  ['example . com', 'example.com'],
  ['example..com.', 'example.com'],
  ['example。com', 'example.com'],
  ['example．com', 'example.com'],
  ['example｡com', 'example.com'],
  ['ｅｘａｍｐｌｅ．ｃｏｍ', 'example.com'],
  ['exam\u00adple\u200b.com', 'example.com'],
  ['www.example.com', 'example.com'],
  // Without a name behind it, www is a label like any other.
  ['www.com', 'www.com'],
  ['www', 'www'],
  ['shop.example.com', 'shop.example.com'],
  ['http://example.com', 'example.com'],
  ['HTTPS://WWW.Example.com:8443/a/b?c=d@e#f', 'example.com'],
  ['//example.com/', 'example.com'],
  ['ftp://user:secret@example.com/', 'example.com'],
  ['example.com/path', 'example.com'],
  ['example.com:80', 'example.com'],
  ['example.com?a=1', 'example.com'],
  ['example.com\\path', 'example.com'],
  ['example@', 'example'],
  ['http//example.com', 'example.com'],
  ['someone@example.com', 'example.com'],
  ['mailto:someone@example.com?subject=Hello', 'example.com'],
  ['Someone <someone@example.com>', 'example.com'],
  ['Bücher.Example', 'bücher.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['пример.рф', 'пример.рф'],
  ['faß.de', 'faß.de'],
  ['col·laboració.cat', 'col·laboració.cat'],
  ['a-b--c', 'a-b--c'],
];

/** Texts with spaces or underscores within a name, with the two names that they may mean. */
export const joinedTexts: readonly (readonly [text: string, name: string, alternative: string])[] =
  [
    ['my great idea', 'mygreatidea', 'my-great-idea'],
    ['my_idea.com', 'myidea.com', 'my-idea.com'],
  ];

/** Texts without a valid name, with the reason and the name that they probably mean. */
export const invalidTexts: readonly (readonly [
  text: string,
  reason: string,
  suggestion: string | undefined,
])[] = [
  ['idea-', 'A name can’t start or end with a hyphen.', 'idea'],
  ['-idea-.com', 'A name can’t start or end with a hyphen.', 'idea.com'],
  ['o’neil', 'A domain name can contain letters, digits and hyphens, but not “’”.', 'oneil'],
  [
    'i💡dea.com',
    'A domain name can contain letters, digits and hyphens, but not “💡”.',
    'idea.com',
  ],
  [
    'one‐two.com',
    'A domain name can contain letters, digits and hyphens, but not “‐”.',
    'one-two.com',
  ],
  ['one−two', 'A domain name can contain letters, digits and hyphens, but not “−”.', 'one-two'],
  ['a\u2066b', 'A domain name can contain letters, digits and hyphens, but not “U+2066”.', 'ab'],
  ['i💡dea', 'A domain name can contain letters, digits and hyphens, but not “💡”.', 'idea'],
  ['ab--cd', 'A name can’t have hyphens as its third and fourth characters.', 'ab-cd'],
  ['$$$', 'A domain name can contain letters, digits and hyphens, but not “$”.', undefined],
  ['a'.repeat(64), 'A name can have up to 63 characters; this one has 64.', undefined],
  ['a\u200cb', '“aU+200Cb” is not a valid internationalized name.', undefined],
  ['אa', '“אa” is not a valid internationalized name.', undefined],
  [
    Array.from({ length: 5 }, () => 'a'.repeat(60)).join('.'),
    'A domain name can have up to 253 characters.',
    undefined,
  ],
  ['example.123', 'The last part of a domain name can’t be a number.', undefined],
  ['i❤️.com', 'A domain name can contain letters, digits and hyphens, but not “❤”.', 'i.com'],
];
