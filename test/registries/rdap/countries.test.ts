import { expect, it } from 'vitest';
import { parseObject } from '../../../src/registries/rdap/object-parser.ts';
import { parseRegistration } from '../../../src/registries/rdap/registration.ts';

const addressOf = (country: string, params = {}) =>
  parseRegistration({
    entities: [
      {
        roles: ['registrant'],
        vcardArray: [
          'vcard',
          [['adr', params, 'text', ['', '', 'Street', 'City', '', '', country]]],
        ],
      },
    ],
  }).registrant?.address;

it.each([
  ['NL', 'NL'],
  ['nl', 'NL'],
  ['NLD', 'NL'],
  ['UK', 'GB'],
  ['EL', 'GR'],
  ['gbr', 'GB'],
  ['XK', undefined],
  ['EU', undefined],
  ['AP', undefined],
  ['ZZ', undefined],
  ['Netherlands', undefined],
])('reads the country %s as %s, beside the text', (sent, code) => {
  expect(parseObject('ip', { country: sent }).country).toBe(code);
  expect(parseObject('autnum', { country: sent }).country).toBe(code);
  expect(addressOf(sent)).toMatchObject({ country: sent });
  expect(addressOf(sent)?.countryCode).toBe(code);
  expect(addressOf('Somewhere', { cc: sent })?.countryCode).toBe(code);
});
