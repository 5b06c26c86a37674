import type { Product } from './technology-rule.ts';

export const javascriptLibraryProducts: readonly Product[] = [
  {
    id: 'jquery',
    name: 'jQuery',
    rules: [{ scriptFile: 'jquery' }],
  },
  {
    id: 'jquery-migrate',
    name: 'jQuery Migrate',
    rules: [{ scriptFile: 'jquery-migrate' }],
    implies: ['jquery'],
  },
  {
    id: 'jquery-ui',
    name: 'jQuery UI',
    rules: [{ scriptFile: 'jquery-ui' }],
    implies: ['jquery'],
  },
  {
    id: 'react',
    name: 'React',
    rules: [{ scriptFile: 'react' }, { scriptFile: 'react-dom' }],
  },
  {
    id: 'vue',
    name: 'Vue.js',
    rules: [{ scriptFile: 'vue' }],
  },
  {
    id: 'angularjs',
    name: 'AngularJS',
    rules: [{ scriptFile: 'angular' }],
  },
  {
    id: 'preact',
    name: 'Preact',
    rules: [{ scriptFile: 'preact' }],
  },
  {
    id: 'svelte',
    name: 'Svelte',
    rules: [{ scriptFile: 'svelte' }],
  },
  {
    id: 'alpine-js',
    name: 'Alpine.js',
    rules: [{ scriptFile: 'alpine' }, { scriptFile: 'alpinejs' }],
  },
  {
    id: 'htmx',
    name: 'htmx',
    rules: [{ scriptFile: 'htmx' }],
  },
  {
    id: 'bootstrap',
    name: 'Bootstrap',
    rules: [{ scriptFile: 'bootstrap', isCommonName: true }],
  },
  {
    id: 'lodash',
    name: 'Lodash',
    rules: [{ scriptFile: 'lodash' }],
  },
  {
    id: 'moment',
    name: 'Moment.js',
    rules: [{ scriptFile: 'moment' }],
  },
  {
    id: 'd3',
    name: 'D3',
    rules: [{ scriptFile: 'd3' }],
  },
  {
    id: 'gsap',
    name: 'GSAP',
    rules: [{ scriptFile: 'gsap' }],
  },
  {
    id: 'swiper',
    name: 'Swiper',
    rules: [{ scriptFile: 'swiper' }],
  },
  {
    id: 'modernizr',
    name: 'Modernizr',
    rules: [{ scriptFile: 'modernizr' }],
  },
  {
    id: 'backbone',
    name: 'Backbone.js',
    rules: [{ scriptFile: 'backbone' }],
  },
  {
    id: 'ember',
    name: 'Ember.js',
    rules: [{ scriptFile: 'ember' }, { meta: 'ember-cli-head-start' }],
  },
  {
    id: 'stimulus',
    name: 'Stimulus',
    rules: [{ scriptFile: 'stimulus' }],
  },
  {
    id: 'turbo',
    name: 'Turbo',
    rules: [{ meta: 'turbo-cache-control' }],
  },
];
