import type { Event, Json } from '../../domain/registration.ts';
import { objectsOf, omitUndefined } from './json.ts';
import { asLowerCaseText, asText } from './text.ts';
import { asInstant } from './timestamp.ts';

/** Reads events (RFC 9083 section 4.5). Omits those without an action. */
export function readEvents(json: Json | undefined): readonly Event[] {
  return objectsOf(json).flatMap((event) => {
    const action = asLowerCaseText(event['eventAction']);
    return action
      ? omitUndefined<Event>({
          action,
          date: asInstant(event['eventDate']),
          actor: asText(event['eventActor']),
        })
      : [];
  });
}
