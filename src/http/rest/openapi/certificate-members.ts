import { objectOf } from './json-schema.ts';
import { count, flag, listOf, propertiesIn, text, without, type BodyMembers } from './parts.ts';

const warningsShape = listOf({ type: 'string' }, 'What is missing or uncertain.');

export const certificatesMembers: BodyMembers = (result, shapes) => {
  shapes['LoggedCertificate'] = {
    ...shapes['LoggedCertificate'],
    ...objectOf({
      ...propertiesIn(shapes, 'LoggedCertificate'),
      source: text('The host name of the certificate search.'),
    }),
  };
  return {
    certificates: { ...result['certificates'] },
    summary: objectOf({
      total_found: count('Number of certificates that match.'),
      returned: count('Number of certificates in this response.'),
      unique_subdomains: { ...result['unique_subdomains'] },
      issuers: { ...result['issuers'] },
      earliest_cert: { ...result['earliest_cert'] },
      latest_cert: { ...result['latest_cert'] },
    }),
    pagination: objectOf({
      limit: count('The limit that was applied.'),
      returned: count('Number of certificates in this response.'),
      total: count('Number of certificates that match.'),
      has_more: flag('Whether more certificates follow.'),
      next_cursor: { ...result['next_cursor'] },
    }),
    warnings: warningsShape,
  };
};

export const subdomainsMembers: BodyMembers = (result, shapes) => {
  shapes['Subdomain'] = {
    ...shapes['Subdomain'],
    ...objectOf({
      ...propertiesIn(shapes, 'Subdomain'),
      source: { type: 'string', enum: ['ct'], description: 'Certificate Transparency.' },
      verified: flag('Always false: the names are not looked up.'),
    }),
  };
  return {
    ...without(result, ['source', 'total', 'truncated']),
    summary: objectOf({
      total_found: count('Number of names, before the limit.'),
      returned: count('Number of names in this response.'),
      verified_count: count('Always 0.'),
      sources_used: listOf(text('`ct`.'), 'The sources of the names.'),
    }),
    warnings: warningsShape,
  };
};
