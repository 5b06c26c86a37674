import { describe, expect, it } from 'vitest';
import { identityOf } from '../../../src/sites/page/identity-of.ts';
import type { PageDocument } from '../../../src/sites/page/page-visit.ts';
import type { Json } from '../../../src/domain/registration.ts';
import { failedVisit, pageVisit } from '../../support/bodies/page-visit.ts';

const identity = (document: Partial<PageDocument>) => identityOf(pageVisit(document));
const data = (...items: Json[]) => ({ structuredData: { types: [], items, parseErrors: 0 } });
const nameOf = (...items: Json[]) => identity(data(...items)).organization?.value;
const meta = (key: string, content: string) => ({ key, content });
const link = (rel: string[], url: string, sizes: string | null = null) => ({
  rel,
  url,
  type: null,
  sizes,
});
const anchors = (relMe: string[], profiles: string[] = []) => ({
  anchors: { total: 0, internal: 0, external: 0, relMe, profiles },
});

describe('the identity that a page declares', () => {
  it('is empty if it declares nothing, and invents no favicon', () => {
    expect(identity({})).toEqual(identityOf(failedVisit()));
    expect(identity({})).toMatchObject({ organization: null, favicon: null, candidates: [] });
  });

  it('has the name of the JSON-LD organization before that of meta elements', () => {
    const metas = [meta('application-name', 'App'), meta('og:site_name', ' Site\n name ')];
    expect(identity({ metas }).organization).toEqual({
      value: 'Site name',
      source: 'og:site_name',
    });
    const named = data({ '@type': 'https://schema.org/Corporation', name: 'Example Ltd' });
    expect(identity({ metas, ...named }).organization).toEqual({
      value: 'Example Ltd',
      source: 'json_ld',
    });
    const article = data({ '@type': 'Article', name: 'Not a name of an organization' });
    expect(identity({ metas, ...article }).organization?.value).toBe('Site name');
    const publisher = data({ '@type': 'WebSite', publisher: { '@type': ['NGO'], name: 'Pub' } });
    expect(identity(publisher).organization?.value).toBe('Pub');
  });

  it('is that of the publisher of the site, then of the items, then of the publisher of a page', () => {
    const reviewed = { '@type': 'Restaurant', name: 'Reviewed place' };
    const publisher = { '@type': 'Organization', name: 'Real Publisher' };
    expect(nameOf(reviewed, { '@type': 'WebSite', publisher })).toBe('Real Publisher');
    expect(nameOf({ '@type': 'WebPage', publisher }, reviewed)).toBe('Reviewed place');
    expect(nameOf({ '@type': 'AboutPage', publisher })).toBe('Real Publisher');
  });

  it('is that of the item to which the site refers as its publisher', () => {
    const site = { '@type': 'WebSite', publisher: { '@id': '#owner' } };
    const owner = { '@type': 'Organization', '@id': '#owner', name: 'Owner' };
    const other = { '@type': 'Restaurant', '@id': '#other', name: 'Other' };
    expect(nameOf(other, site, owner)).toBe('Owner');
  });

  it('is not that of a broadcast, which is a service', () => {
    expect(identity(data({ '@type': 'BroadcastService', name: 'A' })).organization).toBeNull();
  });

  it.each([
    [{ '@id': 'https://x.com/example' }],
    [{ '@type': 'WebPage', url: 'https://x.com/example' }],
    [{ '@value': 'https://x.com/example' }],
  ])('has the URL of an object in sameAs: %j', (one: Json) => {
    const { identities } = identity(data({ '@type': 'Organization', sameAs: [one] }));
    expect(identities.map(({ url }) => url)).toEqual(['https://x.com/example']);
  });

  it('has no profile whose URL has an e-mail address in its query', () => {
    const relMe = [
      'https://x.com/?m=joe@corp.example',
      'https://mastodon.social/@joe@corp.example',
    ];
    expect(identity(anchors(relMe)).identities.map(({ url }) => url)).toEqual([relMe[1]]);
  });

  it('has absolute web URLs of the logo, the icons and the preview image', () => {
    const logo = { '@type': 'ImageObject', url: '/logo.png' };
    const { candidates, ...found } = identity({
      ...data({ '@type': 'Organization', logo }),
      metas: [meta('og:image', 'preview.png'), meta('theme-color', '#fff')],
      links: [
        link(['icon'], 'data:image/png;base64,AAAA'),
        link(['shortcut', 'icon'], '/favicon.ico', '16x16'),
        link(['apple-touch-icon'], 'https://cdn.example.com/touch.png'),
        link(['manifest'], '/app.webmanifest'),
      ],
    });
    expect(found.logo?.url).toBe('https://www.example.com/logo.png');
    expect(found.favicon).toEqual({
      url: 'https://www.example.com/favicon.ico',
      kind: 'favicon',
      source: 'link:icon',
      type: null,
      sizes: '16x16',
    });
    expect(found.touchIcon?.url).toBe('https://cdn.example.com/touch.png');
    expect(found.previewImage?.url).toBe('https://www.example.com/preview.png');
    expect(found.manifestUrl).toBe('https://www.example.com/app.webmanifest');
    expect(found.themeColor).toBe('#fff');
    expect(candidates.map(({ kind }) => kind)).toEqual(
      'logo preview_image favicon touch_icon'.split(' '),
    );
  });

  it('lists each profile once, with its strongest source', () => {
    const page = {
      ...data({ '@type': 'Organization', sameAs: ['https://x.com/example', 'https://a.test/b'] }),
      ...anchors(
        ['https://www.x.com/example/', 'https://mastodon.social/@example'],
        ['https://mastodon.social/@example', 'https://github.com/example'],
      ),
    };
    expect(identity(page).profiles).toEqual([
      { platform: 'x', handle: 'example', url: 'https://x.com/example', source: 'same_as' },
      { platform: 'mastodon', handle: 'example', url: 'https://mastodon.social/@example', source: 'rel_me' },
      { platform: 'github', handle: 'example', url: 'https://github.com/example', source: 'homepage_link' },
    ]); // prettier-ignore
    expect(identity(page).identities.map(({ url, source }) => [url, source])).toEqual([
      ['https://x.com/example', 'same_as'],
      ['https://a.test/b', 'same_as'],
      ['https://mastodon.social/@example', 'rel_me'],
    ]);
  });

  it('omits mail addresses, telephone numbers, scripts and URLs that are too long', () => {
    const sameAs = [
      'mailto:a@b.test',
      'tel:+123',
      'javascript:alert(1)',
      'https://user@x.com/a',
      `https://x.com/${'a'.repeat(2048)}`,
    ];
    const page = { ...data({ '@type': 'Organization', sameAs }), ...anchors(['mailto:a@b.test']) };
    expect(identity(page)).toMatchObject({ identities: [], profiles: [] });
  });

  it.each([
    ['https://www.linkedin.com/company/example/', 'example'],
    ['https://www.youtube.com/@example', 'example'],
    ['https://www.youtube.com/channel/UC1', 'UC1'],
    ['https://bsky.app/profile/example.com', 'example.com'],
    ['https://www.reddit.com/r/example', 'example'],
    ['https://www.youtube.com/@example/videos', 'example'],
    ['https://www.youtube.com/c/example/about', 'example'],
    ['https://www.linkedin.com/company/example/about/', 'example'],
    ['https://de.linkedin.com/in/example', 'example'],
    ['https://de-de.facebook.com/example', 'example'],
    ['https://mobile.twitter.com/example', 'example'],
    ['https://discord.com/invite/abc', 'abc'],
    ['https://discord.gg/abc', 'abc'],
    ['https://t.me/s/example', 'example'],
    ['https://vimeo.com/user123', 'user123'],
    ['https://www.tiktok.com/@example', 'example'],
    ['https://mastodon.social/users/example', 'example'],
    ['https://x.com/intent/tweet?text=a', undefined],
    ['https://www.facebook.com/sharer.php?u=a', undefined],
    ['https://x.com/example/status/1', undefined],
    ['https://youtu.be/dQw4', undefined],
    ['https://x.com/%ff', undefined],
    ['https://x.com/', undefined],
    ['https://docs.github.com/en', undefined],
    ['https://developers.facebook.com/docs', undefined],
    ['https://help.x.com/en', undefined],
    ['https://support.discord.com/hc', undefined],
    ['https://gist.github.com/foo', undefined],
    ['https://l.facebook.com/l.php', undefined],
    ['https://www.facebook.com/share.php?u=a', undefined],
    ['https://www.facebook.com/photo.php', undefined],
    ['https://www.facebook.com/permalink.php', undefined],
    ['https://www.facebook.com/policy.php', undefined],
    ['https://vimeo.com/123456789', undefined],
    ['https://www.youtube.com/results?q=a', undefined],
    ['https://www.youtube.com/feed', undefined],
    ['https://www.youtube.com/live', undefined],
    ['https://discord.com/download', undefined],
    ['https://www.twitch.tv/directory', undefined],
    ['https://www.tiktok.com/legal', undefined],
    ['https://x.com/tos', undefined],
    ['https://github.com/features', undefined],
    ['https://t.me/+AbCd', undefined],
    ['https://t.me/%2BAbCd', undefined],
    ['https://www.tiktok.com/@example/video/1', undefined],
    ['https://medium.com/@example/article', undefined],
    ['https://www.reddit.com/r/example/comments/1', undefined],
    ['https://en.wikipedia.org/wiki/Example', undefined],
    ['https://www.wikidata.org/wiki/Q1', undefined],
  ])('has the handle in the path of a linked profile: %s', (url, handle) => {
    expect(identity(anchors([], [url])).profiles.map((one) => one.handle)).toEqual(
      handle === undefined ? [] : [handle],
    );
  });

  it.each([
    ['https://de.wikipedia.org/wiki/B%C3%BCcher', 'wikipedia', 'Bücher'],
    ['https://zh-min-nan.m.wikipedia.org/wiki/A', 'wikipedia', 'A'],
    ['https://www.wikidata.org/entity/Q1', 'wikidata', 'Q1'],
    ['https://www.facebook.com/profile.php?id=1', 'facebook', null],
  ])('has the articles and profiles that it declares: %s', (url, platform, handle) => {
    const { profiles } = identity(data({ '@type': 'Organization', sameAs: url }));
    expect(profiles).toEqual([{ platform, handle, url, source: 'same_as' }]);
  });

  it('declares no profile on a platform by a link to another name under it', () => {
    const { profiles, identities } = identity(anchors(['https://docs.github.com/en']));
    expect(profiles).toEqual([]);
    expect(identities).toMatchObject([{ platform: null, handle: null }]);
  });
});
