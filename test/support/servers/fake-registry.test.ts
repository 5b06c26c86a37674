import { describe, expect, it } from 'vitest';
import { startFakeRegistry } from './fake-registry.ts';
import { drip, hang } from '../bodies/hostile-replies.ts';
import { manualClock } from '../time/manual-clock.ts';
import { emptyNotFound, html, redirect, registered, status } from '../bodies/replies.ts';
import { delayed, paused, sequence } from '../bodies/scripts.ts';

describe('the fake registry', () => {
  it('returns 404 for names without a script, and records requests', async () => {
    await using registry = await startFakeRegistry();
    registry.on('taken.test', registered('taken.test', { statuses: ['pending delete'] }));
    registry.on(/^any/, ({ name }) => registered(name));
    const free = await fetch(registry.url('com/v1/domain/free.test'));
    expect([free.status, await free.json()]).toMatchObject([404, { errorCode: 404 }]);
    expect(await (await fetch(registry.url('domain/taken.test'))).json()).toMatchObject({
      ldhName: 'taken.test',
      status: ['pending delete'],
    });
    expect(await (await fetch(registry.url('domain/any1.test'))).json()).toMatchObject({
      ldhName: 'any1.test',
    });
    expect(registry.requests.map(({ name, method }) => [name, method])).toEqual([
      ['free.test', 'GET'],
      ['taken.test', 'GET'],
      ['any1.test', 'GET'],
    ]);
    expect(registry.requestCount('free.test')).toBe(1);
  });

  it('uses the latest of two scripts, and repeats the last reply of a sequence', async () => {
    await using registry = await startFakeRegistry();
    registry.on('a.test', html(404));
    registry.on(
      'a.test',
      sequence([status(429, { 'retry-after': '1' }), redirect('/elsewhere', 307), emptyNotFound()]),
    );
    const codes = [];
    for (let sent = 0; sent < 4; sent += 1)
      codes.push((await fetch(registry.url('domain/a.test'), { redirect: 'manual' })).status);
    expect(codes).toEqual([429, 307, 404, 404]);
  });

  it('pauses replies until they are released, and counts requests in flight', async () => {
    await using registry = await startFakeRegistry();
    const reply = paused(emptyNotFound());
    registry.fallback(reply);
    const client = new AbortController();
    const aborted = fetch(registry.url('domain/a.test'), { signal: client.signal }).catch(
      () => 'aborted',
    );
    const waiting = fetch(registry.url('domain/b.test'));
    await Promise.all([registry.whenRequested('a.test'), registry.whenRequested('b.test')]);
    expect([registry.inFlight, registry.peakInFlight, reply.waiting]).toEqual([2, 2, 2]);
    client.abort();
    expect(await aborted).toBe('aborted');
    await registry.when(({ inFlight }) => inFlight === 1);
    reply.release();
    expect((await waiting).status).toBe(404);
    await registry.when(({ inFlight }) => inFlight === 0);
    expect(registry.peakInFlight).toBe(2);
  });

  it('delays and drips by the clock of the test', async () => {
    const clock = manualClock();
    await using registry = await startFakeRegistry({ clock });
    registry.on('late.test', delayed(1000, emptyNotFound()));
    registry.on('drip.test', drip('{}', 1000));
    const late = fetch(registry.url('domain/late.test'));
    await clock.whenPending();
    clock.advance(1000);
    expect((await late).status).toBe(404);
    const dripping = await fetch(registry.url('domain/drip.test'));
    clock.advance(3000);
    expect(await dripping.text()).toBe('{}');
  });

  it('answers HEAD without a body', async () => {
    await using registry = await startFakeRegistry();
    const answer = await fetch(registry.url('domain/a.test'), { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([404, '']);
  });

  it('closes while a request is unanswered', async () => {
    const registry = await startFakeRegistry();
    registry.fallback(hang());
    const hanging = fetch(registry.url('domain/a.test')).catch(() => 'aborted');
    await registry.whenRequested('a.test');
    await registry.close();
    await registry.close();
    expect(await hanging).toBe('aborted');
  });
});
