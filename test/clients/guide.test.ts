import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { guideText } from '../support/guides.ts';

describe('the front-end guide', () => {
  it.each(['apollo.ts', 'urql.ts', 'events.ts', 'typed.ts'])(
    'shows test/clients/%s as it is tested',
    (file) => {
      const code = readFileSync(new URL(file, import.meta.url), 'utf8');
      expect(guideText('front-end-guide')).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
    },
  );
});
