import { agentSignalNames } from '../../../sites/agent-signals/agent-signals.ts';
import { objectOf, schemaRef } from './json-schema.ts';
import {
  count,
  listOf,
  propertiesIn,
  text,
  textOrNull,
  without,
  type BodyMembers,
} from './parts.ts';

const assetFields = ['logo', 'favicon', 'touch_icon', 'preview_image'];

export const technologiesMembers: BodyMembers = (result, shapes) => {
  const { version, ...technology } = propertiesIn(shapes, 'Technology');
  shapes['Technology'] = {
    ...shapes['Technology'],
    ...objectOf({ ...technology, version: { ...version, type: 'string' } }, ['version']),
  };
  return without(result, []);
};

export const categoriesMembers: BodyMembers = (result, shapes) => {
  const { source: _source, ...category } = propertiesIn(shapes, 'SiteCategory');
  shapes['SiteCategory'] = {
    ...shapes['SiteCategory'],
    ...objectOf({
      ...category,
      signals: listOf(text('Such as `json_ld`.'), 'What declares the category.'),
    }),
  };
  return {
    ...without(result, []),
    primary_category: textOrNull('The first category; null if none is declared.'),
  };
};

export const identityAssetsMembers: BodyMembers = (result) => ({
  ...without(result, [...assetFields, 'organization', 'manifest_url', 'theme_color', 'candidates']),
  organization_name: textOrNull('The name that the page declares.'),
  assets: objectOf({
    logo_url: textOrNull('The logo.'),
    logo_source: textOrNull('What declares the logo.'),
    favicon_url: textOrNull('The icon.'),
    touch_icon_url: textOrNull('The icon for home screens.'),
    preview_image_url: textOrNull('The image for link previews.'),
    manifest_url: { ...result['manifest_url'] },
    theme_color: { ...result['theme_color'] },
    candidates: { ...result['candidates'] },
  }),
  evidence: listOf(
    objectOf({ field: text('A member of the body.'), source: text('What declares it.') }),
    'What declares the members.',
  ),
});

export const identityMembers: BodyMembers = (result) => ({
  ...without(result, ['organization', 'description']),
  canonical_domain: text('The host name of `website_url`.'),
  organization: objectOf({
    name: textOrNull('The name that the page declares.'),
    description: textOrNull('The description that the page declares.'),
  }),
  evidence: objectOf({
    declared_identity_count: count('Number of identities.'),
    sources: listOf(text('`same_as` or `rel_me`.'), 'What declares them.'),
  }),
});

export const agentReadinessMembers: BodyMembers = (result, shapes) => {
  const { name: _name, ...signal } = propertiesIn(shapes, 'AgentSignal');
  shapes['AgentSignal'] = { ...shapes['AgentSignal'], ...objectOf(signal) };
  return {
    ...without(result, ['signals', 'probe_count', 'max_probes']),
    signals: {
      ...objectOf(
        Object.fromEntries(agentSignalNames.map((name) => [name, schemaRef('AgentSignal')])),
        agentSignalNames,
      ),
      description: 'The signals by name; empty if the site could not be read.',
    },
    summary: objectOf({
      detected_signals: count('Number of signals that were detected.'),
      total_signals: count('Number of signals.'),
    }),
    meta: objectOf({
      probe_count: { ...result['probe_count'] },
      max_probes: { ...result['max_probes'] },
    }),
  };
};
