import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseObject } from '../../../src/registries/rdap/object-parser.ts';
import { asObject, readJson } from '../../../src/registries/rdap/json.ts';

/** Responses of a registry's server stay outside this repository. */
const data = join(import.meta.dirname, '../../../../shared/data/server-golden');
const present = existsSync(data);

describe.skipIf(!present)(
  `objects of a registry's server${present ? '' : ` (skipped: ${data} does not exist)`}`,
  () => {
    const objects = present
      ? globSync('**/*.json', { cwd: data }).map((file) =>
          asObject(readJson(readFileSync(join(data, file)))),
        )
      : [];
    const ofClass = (name: string) =>
      objects.filter((object) => object !== undefined && object['objectClassName'] === name);

    it('are nameservers with all their addresses', () => {
      const nameservers = ofClass('nameserver').flatMap((object) =>
        object ? parseObject('nameserver', object) : [],
      );
      expect(nameservers.length).toBeGreaterThanOrEqual(7);
      expect(nameservers.every(({ ldhName, unicodeName }) => ldhName && unicodeName)).toBe(true);
      const addresses = nameservers.filter(({ ipv4, ipv6 }) => ipv4.length + ipv6.length > 0);
      expect(addresses.length).toBeGreaterThanOrEqual(4);
    });

    it('are registrars with a name and an IANA id', () => {
      const registrars = ofClass('entity').flatMap((object) =>
        object ? parseObject('entity', object) : [],
      );
      expect(registrars.length).toBeGreaterThanOrEqual(2);
      for (const { handle, contact, publicIds } of registrars) {
        expect(handle && contact.name).toBeTruthy();
        expect(publicIds.map(({ type }) => type)).toEqual(['IANA Registrar ID']);
      }
    });
  },
);
