import { readFileSync } from 'node:fs';
import { counted } from '../schema/objects/object-row.ts';
import { defineTypes } from '../schema/type-definitions.ts';
import { SiteResultType } from './site-result.ts';

// The printed schema has the types in this order.
const documents = [
  'page/page',
  'agent-signals/agent-signals',
  'page/categories',
  'certificates/certificates',
  'mail/disposable-mail',
  'dns/dns',
  'for-sale/for-sale',
  'page/identity',
  'robots/robots',
  'certificates/subdomains',
  'tech/tech',
  'tls/tls',
];

for (const name of documents)
  defineTypes(readFileSync(new URL(`${name}.graphql`, import.meta.url), 'utf8'), {
    type: SiteResultType,
    read: ({ data }, member, context) =>
      counted((data && Reflect.get(data, member)) ?? null, context),
  });
