import { expect, it } from 'vitest';
import { startProcess } from '../../support/gateways/gateway-process.ts';

// Linux allows no folder there, and reports no such file as if /proc itself were missing.
it.skipIf(process.platform !== 'linux')(
  'exits with 2 and one line if the folder of the store cannot be created',
  async () => {
    await using gateway = startProcess({
      PORT: '0',
      STORE_URL: 'sqlite:/proc/gateway/data/gateway.db',
    });
    const { code, stderr } = await gateway.ended;
    expect(stderr).toMatch(/^STORE_URL must name a writable location; [^\n]+no such file[^\n]+\n$/);
    expect(code).toBe(2);
  },
);
