import type { Finding } from '../shared/health';
import type { SettingsProblem } from '../shared/settings';
import { secretsOf } from './compose-client';
import { scrub } from './engine/model/scrub';
import type { Log } from './engine/ports';
import type { Telemetry } from './engine/telemetry/tracing';
import { tracePlan } from './telemetry/plan';
import { createTelemetry } from './telemetry/telemetry';

/** Says where spans go; nothing where nobody asked for them. */
export function spanFindings(env: TelemetryParts['env']): readonly Finding[] {
  const plan = tracePlan(env);
  if (!plan.ok) return [{ label: 'Spans', state: 'note', text: `none: ${plan.error}` }];
  if (plan.value === null) return [];
  const { url, texts } = plan.value;
  const place = new URL(url);
  const what = texts ? 'with texts of the conversation' : 'without texts of the conversation';
  return [{ label: 'Spans', state: 'good', text: `to ${place.origin}${place.pathname}, ${what}` }];
}

interface TelemetryParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly fetch: typeof fetch;
  /** The debug log; null when nobody asked for one. */
  readonly log: Log | null;
}

/** Creates what sends spans, where the environment asks for it, and says what in it cannot be used. */
export function composeTelemetry({ env, version, fetch, log }: TelemetryParts): {
  readonly telemetry?: Telemetry;
  readonly problems: readonly SettingsProblem[];
} {
  const plan = tracePlan(env);
  if (!plan.ok)
    return { problems: [{ level: 'warning', file: 'environment', message: plan.error }] };
  if (plan.value === null) return { problems: [] };
  const secrets = [...secretsOf(env, {}), ...Object.values(plan.value.headers)];
  const telemetry = createTelemetry(plan.value, {
    version,
    fetch,
    clean: (text) => scrub(text, secrets, []),
    lost: (spans, why) => log?.record('spans_lost', { spans, why: scrub(why, secrets, []) }),
  });
  return { telemetry, problems: [] };
}
