import { useDomainSearch } from './use-domain-search.js';

export function Results({ url = '/graphql', name, tlds }) {
  const { rows, isLoading, error } = useDomainSearch(url, name, tlds);
  if (error) return <p role="alert">{error}</p>;
  return (
    <ul aria-busy={isLoading}>
      {rows.map(({ domain, available }) => (
        <li key={domain}>
          {domain}: {available === null ? 'unknown' : available ? 'available' : 'taken'}
        </li>
      ))}
    </ul>
  );
}
