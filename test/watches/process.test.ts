import { expect, it } from 'vitest';
import { startProcess } from '../support/gateways/gateway-process.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { scratch } from '../support/stores/scratch.ts';
import { startWebhookReceiver } from '../support/stores/webhook-receiver.ts';

it('ends open streams at SIGTERM, and logs no token, secret or name', async () => {
  await using folder = await scratch();
  await using receiver = await startWebhookReceiver();
  await using gateway = startProcess({
    PORT: '0',
    STORE_URL: folder.storeUrl,
    RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json',
    WEBHOOK_ALLOW: 'localhost',
    LOG_LEVEL: 'debug',
  });
  const { url } = await gateway.logged('listening');
  const post = async (path: string, body: Json): Promise<Json> => {
    const headers = { 'content-type': 'application/json' };
    const sent = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return sent.json();
  };
  await post('/v1/watches', { domains: ['hidden-name.test'] });
  const hook = `http://127.0.0.1:${receiver.port}/hidden-path`;
  const { id, secret } = await post('/v1/webhooks', { url: hook });
  await post(`/v1/webhooks/${id}/test`, {});
  expect(receiver.received).toHaveLength(1);
  const feed = await post('/v1/feeds', {});
  const [token = ''] = /[0-9a-f]{40}/.exec(feed.atom) ?? [];
  for (const reader of [feed.atom, feed.calendar, `${feed.atom}&after=wrong`])
    await (await fetch(reader)).text();
  const stream = await fetch(`${url}/v1/changes`, { headers: { accept: 'text/event-stream' } });
  expect(stream.headers.get('content-type')).toContain('text/event-stream');

  gateway.kill('SIGTERM');

  await stream.text();
  const { code, stdout, stderr } = await gateway.ended;
  expect(code).toBe(0);
  expect(stdout).toContain('/v1/changes');
  for (const hidden of [token, secret, 'hidden-path', 'hidden-name'])
    expect(stdout + stderr).not.toContain(hidden);
});
