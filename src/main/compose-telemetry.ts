import type { Finding } from '../shared/health';
import type { SettingsProblem } from '../shared/settings';
import { secretsOf } from './compose-client';
import { scrub } from './engine/model/scrub';
import type { Log } from './engine/ports';
import type { Telemetry } from './engine/telemetry/tracing';
import type { openExporter } from './telemetry/exporter';
import { type TracePlan, tracePlan } from './telemetry/plan';

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
  /** Returns the keys that are known at the moment beside those of the environment. */
  readonly keys: () => Iterable<string>;
}

/** Creates what sends spans, where the environment asks for it, and says what in it cannot be used. */
export function composeTelemetry({ env, version, fetch, log, keys }: TelemetryParts): {
  readonly telemetry?: Telemetry;
  readonly problems: readonly SettingsProblem[];
} {
  const plan = tracePlan(env);
  if (!plan.ok)
    return { problems: [{ level: 'warning', file: 'environment', message: plan.error }] };
  if (plan.value === null) return { problems: [] };
  const fixed = [...secretsOf(env, {}), ...Object.values(plan.value.headers)];
  const clean = (text: string) => scrub(text, [...fixed, ...keys()], []);
  const telemetry = createTelemetry(plan.value, {
    version,
    fetch,
    clean,
    lost: (spans, why) => log?.record('spans_lost', { spans, why: clean(why) }),
  });
  return { telemetry, problems: [] };
}

/** Creates what sends spans as planned. Its code is loaded with the first session, so that others do not pay for it. */
function createTelemetry(plan: TracePlan, parts: Parameters<typeof openExporter>[1]): Telemetry {
  let opened: Promise<ReturnType<typeof openExporter>> | null = null;
  const exporter = () => {
    opened ??= import('./telemetry/exporter').then((loaded) => loaded.openExporter(plan, parts));
    return opened;
  };
  return {
    open: async () => (await exporter()).tracing,
    close: async () => {
      if (opened !== null) await (await opened).close();
    },
  };
}
