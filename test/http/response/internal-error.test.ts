import { describe, expect, it } from 'vitest';
import { generateKey } from '../../../src/accounts/api-key.ts';
import { systemClock } from '../../../src/clock.ts';
import type { Log } from '../../../src/log.ts';
import { startGateway } from '../../support/gateway.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { expectProblem } from '../../support/problems.ts';

const secret = 'gw_live_do_not_tell';

describe('a failure of our own', () => {
  let broken = false;
  // A clock that breaks, as a bug would.
  const clock = {
    ...systemClock,
    now() {
      if (broken) throw new Error(`${secret} in /srv/gateway/file.ts`);
      return systemClock.now();
    },
  };

  async function startBroken(log: Log) {
    broken = false;
    const gateway = await startGateway({ clock, log });
    broken = true;
    return gateway;
  }

  it('says nothing of itself, and is logged with the request id', async () => {
    const { log, lines } = memoryLog();
    await using gateway = await startBroken(log);
    lines.length = 0;
    const answer = await gateway.fetch('/v1/rdap?domain=taken.test');
    expect(await answer.clone().text()).not.toMatch(/secret|srv|do_not_tell|stack/);
    await expectProblem(answer, 'internal');
    const requestId = answer.headers.get('x-request-id');
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'error',
        requestId,
        path: '/v1/rdap',
        err: expect.objectContaining({ message: expect.stringContaining(secret) }),
      }),
    ]);
  });

  it('is logged without the key that somebody took for a path', async () => {
    const { log, lines } = memoryLog();
    await using gateway = await startBroken(log);
    const key = generateKey();
    await expectProblem(await gateway.fetch(`/${key}`), 'internal', { instance: '/rgw_…' });
    expect(lines.at(-1)).toMatchObject({ level: 'error', path: '/rgw_…' });
    expect(JSON.stringify(lines)).not.toContain(key.slice(0, 20));
  });

  it('is an error without a word of it in GraphQL', async () => {
    const { log, lines } = memoryLog();
    await using gateway = await startBroken(log);
    lines.length = 0;
    const { errors } = await gateway.graphql('{ domain(name: "taken.test") { id available } }');
    expect(errors).toEqual([
      expect.objectContaining({
        message: 'The gateway failed; try again later.',
        extensions: { code: 'internal' },
      }),
    ]);
    expect(lines).toEqual([
      expect.objectContaining({ level: 'error', requestId: expect.any(String) }),
    ]);
  });
});
