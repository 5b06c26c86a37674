import { expect, it } from 'vitest';
import { startProcess } from '../../support/gateway-process.ts';

// Linux allows no folder there, and answers as if /proc itself were missing.
it.skipIf(process.platform !== 'linux')(
  'ends with 2 and one line when the folder of the store cannot be made',
  async () => {
    await using gateway = startProcess({
      PORT: '0',
      STORE_URL: 'sqlite:/proc/gateway/data/gateway.db',
    });
    const { code, stderr } = await gateway.ended;
    expect(stderr).toMatch(
      /^STORE_URL must name a place that can be written; [^\n]+ENOENT[^\n]+\n$/,
    );
    expect(code).toBe(2);
  },
);
