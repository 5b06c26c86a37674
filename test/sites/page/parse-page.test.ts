import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeHtml } from '../../../src/sites/page/html-tokens.ts';
import { parsePage } from '../../../src/sites/page/parse-page.ts';
import { fastCheckOptions, rounds, seed } from '../../fuzz/fuzzing.ts';

function parse(html: string, contentLanguage = 'de') {
  const url = new URL('https://www.example.com/a/');
  return parsePage(html, { url, contentLanguage, isTruncated: false });
}

function metasOf(html: string) {
  return parse(html).metas.map(({ key, content }) => `${key}=${content}`);
}

const urlOf = (length: number) => 'https://a.example/'.padEnd(length, 'x');
const contentOf = (text: string) => parse(`<meta name=a content="${text}">`).metas[0]?.content;
const script = (text: string) => `<script type="application/ld+json">${text}</script>`;

describe('the HTML of a page', () => {
  it('declares its title, language, metas, links and scripts', () => {
    const page = parse(`<html lang=fr><base href=/b/><svg><title>no</title></svg>
      <TITLE> A &amp; \n B </TITLE><meta name=Description content=" x  y ">
      <link rel="Icon shortcut" href=i.png sizes=1x1><script src="//cdn.example.net/x.js"></script>`);
    expect(page).toMatchObject({
      title: 'A & B',
      language: 'fr',
      metas: [{ key: 'description', content: 'x y' }],
      links: [{ rel: ['icon', 'shortcut'], url: 'https://www.example.com/b/i.png', sizes: '1x1' }],
      scripts: ['https://cdn.example.net/x.js'],
    });
    expect(parse('').language).toBe('de');
    expect(parse('', 'de, en').language).toBeNull();
    expect(parse('<svg/><title>A</title>').title).toBe('A');
    expect(parse('<base href=/b/><base href=/c/><script src=x>').scripts).toEqual([
      'https://www.example.com/b/x',
    ]);
  });

  it('has a meta for each of the names of an element', () => {
    expect(
      metasOf('<meta name=image property=og:image content=a><meta name=x property=X content=b>'),
    ).toEqual(['image=a', 'og:image=a', 'x=b']);
  });

  it('has metas about telephone apps, but none with contact data', () => {
    const keys = [
      'twitter:app:id:iphone',
      'al:iphone:url',
      'al:windows_phone:url',
      'format-detection',
    ];
    const contacts = ['og:phone_number', 'e-mail', 'reply-to', 'author-email', 'og:fax_number'];
    contacts.push('business:contact_data:email', 'telephone');
    const html = [...keys, ...contacts].map((key) => `<meta name="${key}" content=a>`).join('');
    expect(metasOf(html)).toEqual(keys.map((key) => `${key}=a`));
  });

  it('has the robots directives after any number of other metas', () => {
    const html = `<meta name=a content="${'x '.repeat(490)}">`.repeat(300);
    expect(metasOf(`${html}<meta name=robots content=noindex>`)).toContain('robots=noindex');
  });

  it('does not include its templates, except for shadow roots', () => {
    expect(
      metasOf(`<template><meta name=a content=a><template shadowrootmode=open></template>
        <meta name=b content=b></template><meta name=c content=c></template>
        <template shadowrootmode=open><meta name=d content=d></template>`),
    ).toEqual(['c=c', 'd=d']);
  });

  it.each([
    ['Install react@18.2 today', 'Install react@18.2 today'],
    ['/npm/logo@2.0/x.png', '/npm/logo@2.0/x.png'],
    ['img/logo@2x.png and logo@2x.min.js', 'img/logo@2x.png and logo@2x.min.js'],
    ['By @foo.bsky.social', 'By @foo.bsky.social'],
    ['https://medium.com/@a.name', 'https://medium.com/@a.name'],
    ['Write to (info@example.com), <a.b@xn--bcher-kva.xn--p1ai>.', 'Write to'],
    ['info@example.com/sales@example.com or mail/info@bücher.example!', 'or'],
    ['a@a@b.example', ''],
  ])('keeps %j as %j', (content, expected) => {
    expect(parse(`<title>${content.replaceAll('<', '&lt;')}</title>`).title ?? '').toBe(expected);
  });

  it('has URLs that are complete', () => {
    expect(contentOf(urlOf(2048))).toBe(urlOf(2048));
    expect(contentOf(urlOf(2049))).toBeUndefined();
    expect(contentOf('x y'.repeat(1000))).toHaveLength(1000);
    expect(contentOf('字'.repeat(3000))).toHaveLength(1000);
  });

  it('has the types of items, but not of their properties', () => {
    const { structuredData } = parse(`<div itemscope itemtype=https://schema.org/Product>
      <div itemprop=author itemscope itemtype=https://schema.org/Person>`);
    expect(structuredData.types).toEqual(['Product']);
  });

  it('has links inside and outside of its site, and to profiles', () => {
    const { anchors } = parse(`<a href=/x></a><a href=http://example.com></a><a name=x></a>
      <a href=https://x.com/acme></a><a rel=me href=https://github.com/acme></a>
      <a href=mailto:info@example.com></a><a href=tel:+4912></a><a href="javascript:x"></a>`);
    expect(anchors).toEqual({
      total: 4,
      internal: 2,
      external: 2,
      relMe: ['https://github.com/acme'],
      profiles: ['https://x.com/acme'],
    });
  });

  it.each([
    ['anchors', '<a href=/x></a>'],
    ['links', '<link rel=a href=/x>'],
    ['scripts', '<script src=/x></script>'],
  ])('is read up to 5,000 URLs: %s', (_what, element) => {
    const rest = '<a href=/last></a><meta name=a content=b>';
    const full = parse(element.repeat(4999) + rest);
    expect(full.isTruncated).toBe(false);
    const longer = parse(element.repeat(5000) + rest);
    expect(longer.isTruncated).toBe(true);
    expect(longer.anchors.total).toBe(element.startsWith('<a') ? 5000 : 0);
    expect(longer.metas).toHaveLength(1);
  });

  it('has structured data without contact data', () => {
    const data = { '@type': 'Organization', name: 'A', email: 'a@b.example', telephone: '1' };
    const graph = { '@graph': [{ ...data, '@type': ['https://schema.org/Store', 'Thing'] }] };
    const page = parse(
      `${script(JSON.stringify(data))}${script(JSON.stringify(graph))}${script('{')}
       <div itemscope itemtype="http://schema.org/Product https://other.example/X">`,
    );
    expect(page.structuredData).toEqual({
      types: ['Organization', 'Store', 'Thing', 'Product'],
      items: [
        { '@type': 'Organization', name: 'A' },
        { '@type': ['https://schema.org/Store', 'Thing'], name: 'A' },
      ],
      parseErrors: 1,
    });
  });

  it('contains no e-mail address, whatever declares it', () => {
    const page =
      parse(`<title>Write to info@example.com</title><meta name=author content=a@b.example>
      <meta property=og:email content=x><meta property=og:phone_number content=123>
      <script type="application/ld+json">{"description":"Mail a@b.example now",
        "joe@b.example":1,"sameAs":["https:joe@b.example","https://b.example/?m=joe%40b.example"]}
      </script>`);
    expect(page.metas).toEqual([]);
    expect(JSON.stringify(page)).not.toMatch(/@|joe/);
  });

  it('declares tools', () => {
    const page = parse(`<form toolname=book></form><form toolautosubmit></form>
      <script>if (1 < 2) navigator.modelContext.registerTool({})</script>`);
    expect(page.webMcp).toEqual([
      'form toolname=book',
      'form toolautosubmit',
      'script navigator.modelContext',
    ]);
  });

  it.each([
    ['type=application/json', false],
    ['type=text/template', false],
    ['type=module', true],
    ['type="Text/JavaScript"', true],
    ['type=""', true],
  ])('declares tools in a script with %s: %s', (attribute, isTool) => {
    const page = parse(`<script ${attribute}>navigator.modelContext</script>`);
    expect(page.webMcp).toHaveLength(isTool ? 1 : 0);
  });

  const latin1 = '<meta charset=iso-8859-1>';

  it.each([
    ['a meta element within a comment', `<!-- ${latin1} -->é`],
    ['a text about charsets', '<meta name=description content="set charset=iso-8859-1">é'],
    ['an attribute', `<p title="${latin1}">é`],
    ['a meta element after 1024 bytes', `${' '.repeat(1010)}${latin1}é`],
  ])('is not decoded by %s', (_what, html) => {
    expect(decodeHtml(Buffer.from(html), undefined)).toContain('é');
  });

  it.each([
    ['a quote in a value', `<p a=it's>${latin1}é<p b=it's>`],
    ['a comment', `<!-- a -->${latin1}é`],
    ['a charset that is unknown', `<meta charset=x-unknown>${latin1}é`],
    ['a value with >', `<meta name=">" charset='iso-8859-1'>é`],
    ['nothing', '<META content="text/html; charset=iso-8859-1" http-equiv="Content-Type"/>é'],
  ])('is decoded by a meta element after %s', (_what, html) => {
    expect(decodeHtml(Buffer.from(html, 'latin1'), undefined)).toContain('é');
  });

  it.each([
    ['a byte order mark', Buffer.from('\uFEFFé', 'utf16le'), 'text/html; charset=latin1'],
    ['the header', Buffer.from('é', 'latin1'), 'text/html; charset="ISO-8859-1"'],
    [
      'the header before a meta element',
      Buffer.from('<meta charset=windows-1251>é', 'latin1'),
      'text/html; charset=windows-1252',
    ],
    ['a meta element', Buffer.from('<meta charset=windows-1252>é', 'latin1'), undefined],
    ['valid UTF-8', Buffer.from('é'), 'text/html; charset=unknown'],
    ['nothing', Buffer.from('é\xff', 'latin1'), undefined],
  ])('is decoded by %s', (_what, body, contentType) => {
    expect(decodeHtml(body, contentType)).toContain('é');
  });

  it('results in a document of limited size', () => {
    const long = 'x'.repeat(2000);
    const html = ['<meta name=a content=X>', '<link rel=a href=X>', '<script src=X></script>']
      .map((element) => element.replace('X', long).repeat(80))
      .join('');
    const json = `<script type="application/ld+json">[${'{"a":"b"},'.repeat(90)}{}]</script>`;
    const page = parse(json.repeat(200) + html);
    expect(JSON.stringify(page).length).toBeLessThan(220_000);
    expect(page.structuredData.items).toHaveLength(50);
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    expect(JSON.stringify(parse(json.replace(/\[.*\]/, deep))).length).toBeLessThan(1000);
  });

  it.each([
    '<a>',
    '<form>',
    '<p></b>',
    '<svg><title>',
    '<a href=',
    '&am',
    '<!--',
    '<a a=1 ',
    '"<',
    '</',
    '<template>',
    '<meta name=a content=a@a.a.a.a>',
  ])('takes linear time with %j', (part) => {
    const html = part.repeat((512 * 1024) / part.length);
    const startedAt = performance.now();
    parse(html);
    // Linear time is about 100 ms, quadratic time many seconds.
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });

  it(`never makes the parser throw (seed ${seed})`, () => {
    const token = constantFrom(
      '<',
      '>',
      '</',
      '"',
      '=',
      ' ',
      'script',
      'meta',
      'a',
      'href',
      '&',
      'constructor',
      '__proto__',
      '<script type=application/ld+json>',
      '{"@type":',
      '\0',
      '<!--',
      '<title>',
    );
    assert(
      property(array(oneof(token, string({ unit: 'binary' }))), (parts) => {
        parse(parts.join(''));
      }),
      fastCheckOptions(rounds(200)),
    );
  });
});
