import { jsonResponse, type HttpResponse } from '../http-request-context.ts';
import { pageLink, type Notice } from './notices.ts';
import { baseConformance } from './rdap-object.ts';
import { rdapJson } from './rdap-path.ts';
import { rdapLookups } from './rdap-lookups.ts';

/** Whether objects are relayed, or requests are redirected to the registry. */
export type RelayMode = 'relay' | 'redirect';

interface HelpOptions {
  readonly mode: RelayMode;
  readonly docsUrl: string;
  /** URL of the response. */
  readonly url: string;
}

/** Returns the response of `/rdap/help` (RFC 9083 section 7). */
export function helpResponse({ mode, docsUrl, url }: HelpOptions): HttpResponse {
  const paths = rdapLookups.map(({ type, argument }) => `/rdap/${type}/${argument}`);
  const notices: readonly Notice[] = [
    {
      title: 'About this service',
      description: [
        'This RDAP Gateway is not a registry. It finds the responsible registry for each request.',
        modeTexts[mode],
      ],
      links: [pageLink(url, `${docsUrl}/rdap-endpoint`)],
    },
    {
      title: 'Lookups',
      description: [`Supported: ${paths.join(', ')}. Searches are not supported.`],
    },
    {
      title: 'Terms of use',
      description: [
        'The data belong to the registries. Their terms, which their notices state, also apply to objects that are relayed.',
        'Lookups may need an API key and cost credits, and the number of requests is limited.',
      ],
      links: [pageLink(url, docsUrl)],
    },
  ];
  const body = { rdapConformance: [baseConformance], lang: 'en', notices };
  return jsonResponse(200, body, {
    'content-type': rdapJson,
    'cache-control': 'public, max-age=3600',
  });
}

const modeTexts: Readonly<Record<RelayMode, string>> = {
  relay:
    'It relays the object that the registry returned, from its cache or from the registry, and adds a notice with the source and the time.',
  redirect: 'It redirects to the server of the registry.',
};
