import { expect, it } from 'vitest';
import { csvHeader, csvLine } from '../../src/shared/csv.ts';

it('names the columns in a fixed order', () => {
  expect(csvHeader()).toBe(
    'index,input,domain,tld,available,status,reason,confidence,source,rdap_endpoint,cached,stale,checked_at,latency_ms,detail,cautions,registrable_name,did_you_mean\r\n',
  );
});

it('leaves the cells of absent and null fields empty', () => {
  const row = { domain: 'a.test', available: null, cached: false, stale: true, latency_ms: 0 };
  expect(csvLine(row)).toMatch(/^,,a\.test,,,,,,,,false,true,,0,+\r\n$/);
});

it.each([
  ['a comma', 'a,b', '"a,b"'],
  ['a quotation mark', 'a"b', '"a""b"'],
  ['a line feed', 'a\nb', '"a\nb"'],
  ['a carriage return', 'a\rb', '"a\rb"'],
])('quotes a text with %s (RFC 4180)', (_what, text, cell) => {
  expect(inputCell(text)).toBe(cell);
});

it.each(['=1+1', '+1', '-1', '@SUM(1)', '\t=1', '＝1'])(
  'keeps a spreadsheet from calculating %j',
  (text) => {
    expect(inputCell(text)).toBe(`'${text}`);
  },
);

it('keeps a spreadsheet from calculating a quoted text', () => {
  expect(inputCell('=HYPERLINK("https://x.example","x")')).toBe(
    `"'=HYPERLINK(""https://x.example"",""x"")"`,
  );
  expect(inputCell('\r=1')).toBe(`"'\r=1"`);
});

function inputCell(input: string): string {
  const [, cell] = /^0,(.*?),+\r\n$/s.exec(csvLine({ index: 0, input })) ?? [];
  return cell ?? '';
}

it('has no characters in detail that change the text around them', () => {
  const line = csvLine({ detail: 'not\u202e found\u2066\u0007' });
  expect(line).toMatch(/^,{14}not\ufffd found\ufffd\ufffd,+\r\n$/);
});
