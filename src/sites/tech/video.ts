import type { Product } from './technology-rule.ts';

export const videoProducts: readonly Product[] = [
  {
    id: 'youtube-player',
    name: 'YouTube IFrame API',
    rules: [
      { scriptHost: 'youtube.com', path: '/iframe_api' },
      { scriptHost: 'youtube.com', path: '/player_api' },
    ],
  },
  {
    id: 'vimeo-player',
    name: 'Vimeo Player',
    rules: [{ scriptHost: 'player.vimeo.com' }],
  },
  {
    id: 'wistia',
    name: 'Wistia',
    rules: [{ scriptHost: 'fast.wistia.com' }, { scriptHost: 'fast.wistia.net' }],
  },
  {
    id: 'brightcove',
    name: 'Brightcove',
    rules: [{ scriptHost: 'players.brightcove.net' }],
  },
  {
    id: 'jw-player',
    name: 'JW Player',
    rules: [{ scriptHost: 'cdn.jwplayer.com' }, { scriptHost: 'content.jwplatform.com' }],
  },
  {
    id: 'video-js',
    name: 'Video.js',
    rules: [{ scriptHost: 'vjs.zencdn.net' }],
  },
  {
    id: 'hls-js',
    name: 'hls.js',
    rules: [{ scriptFile: 'hls' }],
  },
  {
    id: 'plyr',
    name: 'Plyr',
    rules: [{ scriptFile: 'plyr' }, { scriptHost: 'cdn.plyr.io' }],
  },
  {
    id: 'mux',
    name: 'Mux',
    rules: [{ scriptFile: 'mux-player' }, { scriptHost: 'src.litix.io' }],
  },
];
