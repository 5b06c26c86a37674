import { createMCPClient } from '@ai-sdk/mcp';
import { parseAtomFeed } from 'feedsmith';
import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Json } from '../support/gateways/gateway.ts';
import type { Customer } from '../support/gateways/metered-gateway.ts';
import { registered } from '../support/bodies/replies.ts';
import { startWatching, type Watching } from '../watches/watching.ts';

const label = 'Shop, "A;B" \\ bücher\u{1F4DA} '.repeat(4).trim();
let watching: Watching;
let customer: Customer;
let feed: Json;
beforeAll(async () => {
  watching = await startWatching({ clock: systemClock });
  customer = await watching.newCustomer();
  const domains = ['taken.test', 'bücher-taken.example', 'taken.example'];
  watching.registry.fallback(({ name }) => registered(name));
  await customer.post('/v1/watches', { domains, label });
  for (const type of ['EXPIRY', 'REGISTRAR', 'AVAILABLE'] as const)
    await watching.change('xn--bcher-taken-thb.example', type);
  feed = await (await customer.post('/v1/feeds', {})).json();
});
afterAll(() => watching[Symbol.asyncDispose]());

const read = async (url: string) => (await fetch(url)).text();

const eventsIn = (text: string) =>
  new ICAL.Component(ICAL.parse(text))
    .getAllSubcomponents('vevent')
    .map((event) => new ICAL.Event(event));

/** Returns the events of the calendar, when it has all names. */
async function calendarEvents(): Promise<readonly ICAL.Event[]> {
  await expect
    .poll(async () => eventsIn(await read(feed.calendar)).length, { timeout: 30_000 })
    .toBe(3);
  return eventsIn(await read(feed.calendar));
}

describe('a calendar program', () => {
  it('reads all-day events with stable ids, whole labels and names as people write them', async () => {
    const events = await calendarEvents();
    for (const { uid, startDate, endDate, component } of events) {
      expect(uid).toMatch(/^expiry-[a-z0-9.-]+@rdap-gateway$/);
      expect([startDate.isDate, endDate.subtractDate(startDate).toSeconds()]).toEqual([
        true,
        24 * 60 * 60,
      ]);
      expect(component.getFirstPropertyValue('categories')).toBe(label);
      expect(component.getFirstPropertyValue('dtstamp')).toBeInstanceOf(ICAL.Time);
    }
    expect(events.map(({ summary }) => summary).toSorted()).toEqual([
      'bücher-taken.example expires',
      'taken.example expires',
      'taken.test expires',
    ]);
    const uids = events.map(({ uid }) => uid);
    expect(new Set(uids).size).toBe(3);
    expect((await calendarEvents()).map(({ uid }) => uid)).toEqual(uids);
    const lines = (await read(feed.calendar)).split('\r\n');
    expect(lines.filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
  });
});

describe('a feed reader', () => {
  it('reads the changes, oldest first, with ids and dates that stay', async () => {
    const { changes } = await (await customer.fetch('/v1/changes')).json();
    const {
      id,
      title,
      updated,
      authors,
      links,
      entries = [],
    } = parseAtomFeed(await read(feed.atom));
    expect({ id, title, updated }).toEqual({
      id: `${watching.gateway.url}/v1/changes`,
      title: { value: 'Changes of watched names' },
      updated: changes.at(-1).seen_at,
    });
    expect([authors?.length, links?.[0]?.href]).toEqual([1, id]);
    expect(entries.map((entry) => [entry.id, entry.title?.value, entry.updated])).toEqual(
      changes.map((change: Json) => [
        `${id}#${change.id}`,
        `bücher-taken.example: ${change.type}`,
        change.seen_at,
      ]),
    );
    for (const entry of entries)
      expect(JSON.parse(entry.content?.value ?? '')).toMatchObject({
        domain: 'xn--bcher-taken-thb.example',
      });
  });
});

describe('the MCP client of the AI SDK', () => {
  it('lists the tools, and reads that there are events', async () => {
    const client = await createMCPClient({
      transport: {
        type: 'http',
        url: `${watching.gateway.url}/mcp`,
        headers: { 'x-api-key': customer.key },
      },
    });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('check_domains');
    expect(client.initializeResult.capabilities).toMatchObject({
      extensions: { 'io.modelcontextprotocol/events': {} },
    });
    // Its own methods look for a capability `events`, which the extension does not have.
    await expect(client.experimental_events.list()).rejects.toThrow('does not support events');
    await client.close();
  });
});
