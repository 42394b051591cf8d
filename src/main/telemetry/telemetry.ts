import type { Telemetry } from '../engine/telemetry/tracing';
import type { TracePlan } from './plan';

/** Creates what sends spans as planned. Its code is loaded with the first session, so that others do not pay for it. */
export function createTelemetry(
  plan: TracePlan,
  parts: Parameters<typeof import('./exporter').openExporter>[1],
): Telemetry {
  let opened: Promise<ReturnType<typeof import('./exporter').openExporter>> | null = null;
  const exporter = () => {
    opened ??= import('./exporter').then(({ openExporter }) => openExporter(plan, parts));
    return opened;
  };
  return {
    open: async () => (await exporter()).tracing,
    close: async () => {
      if (opened !== null) await (await opened).close();
    },
  };
}
