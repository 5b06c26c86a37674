#!/usr/bin/env bash
# A reminder 30 days before an event is at no valid time.
#
# Version: ics 3.12.0
# Behavior: `{ days: 30 }` is written as `P30DT`, and `{ weeks: 1 }` as `P1WT`, for events and for alarms. The
#   letter that begins a time of day is there without one.
# Expected: `P30D` and `P1W`. In iCalendar, hours, minutes or seconds must follow the T. The examples of the
#   package have some, and show nothing wrong.
# Why it matters: lenient programs read it, so it works where it is tried. Strict ones reject the reminder, or
#   the calendar with all its events.
# Output: TRIGGER:-P30DT TRIGGER:-P1WT TRIGGER:-PT6H
# Source: RFC 5545, section 3.3.6, https://www.rfc-editor.org/rfc/rfc5545.html#section-3.3.6 (`dur-time`);
#   https://github.com/bitfireAT/icsx5/issues/100 (an app that rejects `-P2DT`, open)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent ics@3.12.0 >>npm.log

cat >finding.mjs <<'JS'
import { createEvent } from 'ics';

/** Returns the line that says how long before the event the alarm is. */
function triggerFor(time) {
  const alarm = { action: 'display', description: 'Renew name.com', trigger: { ...time, before: true } };
  const event = { title: 'name.com expires', start: [2026, 1, 31], duration: { hours: 1 }, alarms: [alarm] };
  return createEvent(event)
    .value.split('\r\n')
    .find((line) => line.startsWith('TRIGGER'));
}

const seen = [{ days: 30 }, { weeks: 1 }, { hours: 6 }].map(triggerFor).join(' ');
console.log(seen);
process.exitCode = seen === 'TRIGGER:-P30DT TRIGGER:-P1WT TRIGGER:-PT6H' ? 0 : 1;
JS
node finding.mjs
