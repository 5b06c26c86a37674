import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/domain/registration.ts';
import { parseRegistration } from '../../../src/registries/rdap/registration.ts';

const created = (eventDate: Json) =>
  parseRegistration({ events: [{ eventAction: 'registration', eventDate }] }).createdAt;

describe('dates', () => {
  it.each([
    ['2024-05-06T07:08:09Z', '2024-05-06T07:08:09.000Z'],
    ['2024-05-06T07:08:09.1Z', '2024-05-06T07:08:09.100Z'],
    ['2024-05-06T07:08:09.12Z', '2024-05-06T07:08:09.120Z'],
    ['2024-05-06T07:08:09.123Z', '2024-05-06T07:08:09.123Z'],
    ['2024-05-06T07:08:09.12345Z', '2024-05-06T07:08:09.123Z'],
    ['2024-05-06T07:08:09.123456Z', '2024-05-06T07:08:09.123Z'],
    ['2024-05-06T07:08:09.1234567Z', '2024-05-06T07:08:09.123Z'],
    ['2024-05-06T07:08:09.999999999Z', '2024-05-06T07:08:09.999Z'],
    ['2024-05-06T07:08:09+03:00', '2024-05-06T04:08:09.000Z'],
    ['2024-05-06T07:08:09.123-0330', '2024-05-06T10:38:09.123Z'],
    ['2024-05-06T07:08:09.000+0000', '2024-05-06T07:08:09.000Z'],
    ['2024-05-06T07:08:09', '2024-05-06T07:08:09.000Z'],
    ['2024-05-06', '2024-05-06T00:00:00.000Z'],
    ['2024-05-06 07:08:09', '2024-05-06T07:08:09.000Z'],
    ['2024-05-06t07:08:09z', '2024-05-06T07:08:09.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('in the form %s are read as %s', (sent, date) => {
    expect(created(sent)).toBe(date);
  });

  it.each<Json>([
    '',
    'soon',
    '2023-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-05-06T25:00:00Z',
    '05/06/2024',
    1_700_000_000,
    false,
    null,
  ])('in the form %j are omitted', (sent) => {
    expect(created(sent)).toBeUndefined();
  });

  it.each(['0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00'])(
    'that mean "never", such as %s, are omitted',
    (sent) => {
      expect(created(sent)).toBeUndefined();
    },
  );

  it.each([
    'expiration',
    'Expiration',
    'EXPIRES',
    'expiration date',
    'Record expires',
    'Expiry date',
    'Registry Expiry Date:',
    'domain expired',
  ])('of expiry may have the action %j', (eventAction) => {
    expect(
      parseRegistration({ events: [{ eventAction, eventDate: '2030-01-01' }] }).expiresAt,
    ).toBe('2030-01-01T00:00:00.000Z');
  });

  it('of the registrar and of the RDAP database are only events', () => {
    const events = ['registrar expiration', 'last update of RDAP database'].map((eventAction) => ({
      eventAction,
      eventDate: '2030-01-01',
    }));
    const registration = parseRegistration({ events });
    expect(registration).not.toHaveProperty('expiresAt');
    expect(registration).not.toHaveProperty('updatedAt');
    expect(registration.events.map(({ action }) => action)).toEqual([
      'registrar expiration',
      'last update of rdap database',
    ]);
  });

  it('of expiry are those of the event that RFC 9083 defines, if there are others', () => {
    const events = ['Record expires', 'expiration'].map((eventAction, index) => ({
      eventAction,
      eventDate: `203${index}-01-01`,
    }));
    expect(parseRegistration({ events }).expiresAt).toBe('2031-01-01T00:00:00.000Z');
  });

  it.each([
    'registrar expiration',
    'Registrar Registration Expiration Date',
    'enum validation expiration',
    'transfer lock expires',
  ])('of other expirations are not the expiry: %s', (eventAction) => {
    const events = [{ eventAction, eventDate: '2030-01-01' }];
    expect(parseRegistration({ events })).not.toHaveProperty('expiresAt');
  });

  it.each(['registration', 'Registration Date', 'created', 'Creation date'])(
    'of registration may have the action %j',
    (eventAction) => {
      expect(
        parseRegistration({ events: [{ eventAction, eventDate: '2001-01-01' }] }).createdAt,
      ).toBe('2001-01-01T00:00:00.000Z');
    },
  );

  it('of repeated events are those of the first valid event', () => {
    const events = ['', '2001-01-01', '2002-02-02'].map((eventDate) => ({
      eventAction: 'registration',
      eventDate,
    }));
    expect(parseRegistration({ events }).createdAt).toBe('2001-01-01T00:00:00.000Z');
  });

  it('without an action are omitted, but events may lack a date', () => {
    expect(
      parseRegistration({
        events: [null, {}, { eventDate: '2024-01-01' }, { eventAction: 'transfer' }],
      }).events,
    ).toEqual([{ action: 'transfer' }]);
  });
});
