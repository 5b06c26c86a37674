import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseForSale } from '../../../src/sites/for-sale/for-sale.ts';

const offerOf = (content: string) => parseForSale([`v=FORSALE1;${content}`]).offers[0];

describe('a for-sale record', () => {
  it('can have a price', () => {
    expect(offerOf('fval=EUR999')).toMatchObject({ currency: 'EUR', amount: '999' });
    expect(offerOf('fval=BTC0.00010')).toMatchObject({ currency: 'BTC', amount: '0.00010' });
  });

  it.each(['fval=eur9', 'fval=9', 'fval=EUR', 'fval=EUR 9', 'fval=EUR9.', 'fval=EUR9,5', 'fval='])(
    'has no price if it is malformed: %s',
    (content) => {
      expect(offerOf(content)).toMatchObject({ content, currency: null, amount: null });
    },
  );

  it('can have a code, a text or the address of a web page', () => {
    expect(offerOf('fcod=XX-1')).toMatchObject({ code: 'XX-1', text: null });
    expect(offerOf('ftxt=Call; for=info')).toMatchObject({ text: 'Call; for=info', code: null });
    const uri = 'https://example.com/buy?d=a%20b';
    expect(offerOf(`furi=${uri}`)).toMatchObject({ uri, content: `furi=${uri}` });
  });

  it('does not reveal e-mail addresses, phone numbers or scripts in URIs', () => {
    expect(offerOf('furi=mailto:a@example.com')).toMatchObject({
      uri: null,
      content: 'furi=mailto:',
    });
    expect(offerOf('furi=tel:+31201234567')).toMatchObject({ uri: null, content: 'furi=tel:' });
    expect(offerOf('furi=javascript:alert(1)')).toMatchObject({ uri: null });
    expect(offerOf('furi=a@example.com')).toMatchObject({ uri: null, content: 'furi=' });
  });

  it('counts without valid content (RFC 10023)', () => {
    const long = ['x'.repeat(240), 'é'.repeat(120)].map((text) => `ftxt=${text}`);
    for (const content of ['', 'fcod=', 'foo=bar', ...long]) {
      expect(parseForSale([`v=FORSALE1;${content}`])).toEqual({
        isForSale: true,
        offers: [{ content, code: null, text: null, uri: null, currency: null, amount: null }],
      });
    }
  });

  it('has at most 239 octets of content, in UTF-8', () => {
    for (const text of ['x'.repeat(239), `${'é'.repeat(119)}x`])
      expect(offerOf(`ftxt=${text}`)).toMatchObject({ text });
  });

  it('may have spaces after the version tag, and appears once', () => {
    const { offers } = parseForSale(['v=FORSALE1; ftxt=a', 'v=FORSALE1;ftxt=a']);
    expect(offers).toMatchObject([{ content: 'ftxt=a', text: 'a' }]);
  });

  it.each(['I am for sale', 'v=FORSALE1', 'v=forsale1;ftxt=a', ' v=FORSALE1;', 'v=FORSALE2;', ''])(
    'is ignored without the version tag: %s',
    (record) => expect(parseForSale([record])).toEqual({ isForSale: false, offers: [] }),
  );

  it('may be any text, without an error', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', 'furi=', 'fval='),
        (text, tag) => {
          const { offers } = parseForSale([`v=FORSALE1;${tag}${text}`, text]);
          expect(offers.length).toBeGreaterThan(0);
          for (const { uri } of offers) expect(uri ?? 'http:').toMatch(/^https?:/i);
        },
      ),
      { numRuns: 100 },
    );
  });
});
