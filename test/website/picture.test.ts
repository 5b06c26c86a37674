import { describe, expect, it } from 'vitest';
import { renderPicture } from '../../src/website/render-picture.ts';
import { pictureFields, type PictureInput } from '../../src/website/picture.js';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';

const gateway = await forThisFile(startGateway, { env: { RATE_LIMIT: '0' } });

async function evidenceOf(name: string): Promise<PictureInput & Json> {
  const { data } = await gateway.graphql(`{ domain(name: "${name}") { ${pictureFields} } }`);
  return data.domain;
}

/** Returns the text of a picture, as a screen reader reads it. */
const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
const day = 24 * 60 * 60_000;

describe('the picture of', () => {
  it.each([
    ['taken.test', 'is registered: proved', 'Who said so?', 'Life of the registration', 'Yes:'],
    ['free.test', 'is available: proved', 'HTTP 404: No such name.', 'answered after', 'Yes:'],
    ['free.whois-only.test', 'is available: likely', 'found a registered name', 'WHOIS', 'Yes:'],
    ['taken.dns-only.test', 'is registered: proved', 'DNS (zone dns-only.test)', 'In part:'],
    ['taken.contradicted.test', 'Why unknown?', 'Who was asked?', 'Retry later', 'No:'],
    ['down.test', 'Why unknown?', 'The registry returned status 500.', 'No:'],
  ])('%s says %s', async (name, ...says) => {
    const input = await evidenceOf(name);
    const answeredAt = Date.parse(input.evidence?.sources.at(-1)?.answeredAt ?? '');
    const text = textOf(renderPicture(input, answeredAt + 3 * day).html);
    for (const each of [...says, 'What would change it?', '3 days before this picture'])
      expect(text).toContain(each);
  });

  it('a name that was not looked up is empty', () => {
    expect(renderPicture({ domain: 'a..b', status: 'INVALID', evidence: null }, 0).html).toBe('');
  });

  it('hostile texts is inert', async () => {
    const input = await evidenceOf('taken.test');
    const hostile = '"><script>alert(1)</script>';
    const replaced = JSON.stringify({ ...input, unicodeName: 'x' })
      .replaceAll('rdap', JSON.stringify(hostile).slice(1, -1))
      .replace('"x"', JSON.stringify(hostile));
    const { html } = renderPicture(JSON.parse(replaced), Date.now());
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toMatch(/<script|\sstyle=|NaN|undefined|Infinity/);
  });
});

it('the guide shows two pictures without scripts', async () => {
  const page = await (await gateway.fetch('/docs/receipts')).text();
  expect(page.match(/<figure class="picture proved">/g)).toHaveLength(2);
  expect(page).toMatch(/<link rel="stylesheet" href="[^"]*picture\.css"/);
  expect(page).not.toMatch(/NaN|Infinity/);
});
