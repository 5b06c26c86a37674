import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacksSecurityFixes, nodeWarning, patchedNode } from '../../src/cli/node-security.ts';
import { startProcess } from '../support/gateways/gateway-process.ts';
import { projectFolder } from '../support/package/run.ts';

const guide = readFileSync(join(projectFolder, 'docs/deployment.md'), 'utf8');

describe('the warning about Node.js', () => {
  it.each(['26.10.0', '26.12.0', '24.22.0', '24.9.3', '25.9.0', '22.23.4'])(
    'appears for %s',
    (version) => {
      expect(nodeWarning(version)).toContain(`Node.js ${version} lacks the security fixes`);
    },
  );

  it.each(['26.12.1', '26.13.0', '24.22.1', '24.100.0', '27.0.0'])(
    'is absent for %s',
    (version) => {
      expect(nodeWarning(version)).toBeUndefined();
    },
  );

  it('names the releases that the guide names', () => {
    const [line = ''] = /^.*lacks the security fixes of.*$/m.exec(guide) ?? [];
    expect(line).toContain(patchedNode.date);
    const named = new Set(line.match(/\b\d+\.\d+\.\d+\b/g));
    const patched = [...named].filter((version) => !lacksSecurityFixes(version));
    expect(patched.toSorted()).toEqual(patchedNode.releases);
  });

  it('is logged at the start if this Node.js lacks the fixes', async () => {
    await using gateway = startProcess({
      STORE_URL: 'memory:',
      PORT: '0',
      RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json',
      RDAP_ALLOW_PRIVATE: 'true',
    });
    await gateway.logged('listening');
    gateway.kill('SIGTERM');
    const { stdout } = await gateway.ended;
    expect(stdout.includes('lacks the security fixes')).toBe(
      lacksSecurityFixes(process.versions.node),
    );
  });
});
