import { withoutData } from '../domain/answer.ts';
import { splitName, type DomainName } from '../domain/names/domain-name.ts';
import { isSharedSecondLevel } from '../domain/policy.ts';
import { Problem } from '../domain/problems.ts';
import type { Source } from '../domain/source.ts';

/**
 * Adds that a name such as `john.smith.name` is available only if nobody has registered
 * `smith.name`, although the registry finds neither: it does not sell names below that then.
 */
export function withSecondLevel(source: Source): Source {
  return {
    id: source.id,
    async lookup(query, request) {
      const answer = await source.lookup(query, request);
      const { suffix } = query.name;
      if (answer.data?.verdict !== 'AVAILABLE' || !isSharedSecondLevel(suffix)) return answer;

      const { cached: _cached, ...options } = query;
      const { observer: _observer, ...others } = request;
      const name = splitName(suffix as DomainName);
      const { data, problem } = await source.lookup(
        { ...options, name, detail: 'verdict' },
        others,
      );
      if (data?.verdict === 'AVAILABLE') return answer;
      if (data) return { ...answer, data: { verdict: 'RESERVED' } };

      const detail = `It is not known whether ${suffix} is registered itself: ${problem?.message ?? ''}`;
      return withoutData(answer, new Problem(problem?.code ?? 'registry_error', detail));
    },
  };
}
