import { objectOf, orNull } from './json-schema.ts';
import { count, listOf, text, textOrNull } from './parts.ts';

/** The body of a page of disposable mail domains. */
export const disposableMailShape = objectOf({
  domains: listOf({ type: 'string' }, 'Domains in alphabetical order.'),
  total: count('Number of domains on the list.'),
  limit: count('The limit that was applied.'),
  next_cursor: textOrNull('The `cursor` of the next page; null on the last one.'),
  metadata: objectOf({
    last_updated: orNull({
      type: 'string',
      format: 'date-time',
      description: 'When the list was changed; null if unknown.',
    }),
    total_domains: count('Number of domains on the list.'),
    sources: listOf({ type: 'string' }, 'The names of the list.'),
    refresh_status: text('`static_fallback`: a list of the gateway; `file`: one of the operator.'),
  }),
});
