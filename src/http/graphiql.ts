import type { Handler } from './call.ts';

/** The GraphiQL page and the files it needs, all from this gateway. */
export function graphiqlAssets(): { page: Handler; assets: readonly (readonly [path: string, handler: Handler])[] } {
  return { page: () => ({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: '' }), assets: [] };
}
