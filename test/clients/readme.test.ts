import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const [, section] = read('../../README.md').split('\n## From a front end\n');

describe('the README, where it is read from a front end', () => {
  it.each(['apollo.ts', 'urql.ts', 'events.ts', 'typed.ts'])(
    'shows test/clients/%s as it is tested',
    (file) => {
      expect(section).toContain(`\`\`\`ts\n${read(file)}\`\`\`\n`);
    },
  );
});
