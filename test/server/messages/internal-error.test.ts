import { describe, expect, it } from 'vitest';
import { generateKey } from '../../../src/accounts/api-key.ts';
import { systemClock } from '../../../src/clock.ts';
import type { Log } from '../../../src/log.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';
import { expectProblem } from '../../support/checks/problems.ts';
import { problemExtensions } from '../../support/checks/problem-extensions.ts';

const secret = 'gw_live_do_not_tell';

describe('an internal error', () => {
  let broken = false;
  // A clock that throws simulates a bug.
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

  it('has a response without details, and is logged with the request id', async () => {
    const { log, lines } = memoryLog();
    await using gateway = await startBroken(log);
    lines.length = 0;
    const response = await gateway.fetch('/v1/rdap?domain=taken.test');
    expect(await response.clone().text()).not.toMatch(/secret|srv|do_not_tell|stack/);
    await expectProblem(response, 'internal');
    const requestId = response.headers.get('x-request-id');
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'error',
        requestId,
        path: '/v1/rdap',
        err: expect.objectContaining({ message: expect.stringContaining(secret) }),
      }),
    ]);
  });

  it('is logged without an API key that was sent as the path', async () => {
    const { log, lines } = memoryLog();
    await using gateway = await startBroken(log);
    const key = generateKey();
    await expectProblem(await gateway.fetch(`/${key}`), 'internal', { instance: '/rgw_…' });
    expect(lines.at(-1)).toMatchObject({ level: 'error', path: '/rgw_…' });
    expect(JSON.stringify(lines)).not.toContain(key.slice(0, 20));
  });

  it('is a GraphQL error without details', async () => {
    const { log, lines } = memoryLog();
    await using gateway = await startBroken(log);
    lines.length = 0;
    const { errors } = await gateway.graphql('{ domain(name: "taken.test") { id available } }');
    expect(errors).toEqual([
      expect.objectContaining({
        message: 'Internal error. Try again later.',
        extensions: problemExtensions('internal'),
      }),
    ]);
    expect(lines).toEqual([
      expect.objectContaining({ level: 'error', requestId: expect.any(String) }),
    ]);
  });
});
