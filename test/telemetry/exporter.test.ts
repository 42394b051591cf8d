import { afterEach, expect, test } from 'vitest';
import { openExporter } from '../../src/main/telemetry/exporter';
import { type Collector, startCollector } from '../support/collector';

let collector: Collector | undefined;
afterEach(async () => {
  await collector?.close();
  collector = undefined;
});

/** An address of this machine at which no test listens. */
const NOBODY = 'http://127.77.13.5:4318';
/** Long enough for a busy machine. Milliseconds. */
const PATIENT = 60_000;

function exporterTo(url: string, { texts = false, timeoutMs = PATIENT as number | null } = {}) {
  const lost: { readonly spans: number; readonly why: string }[] = [];
  const plan = { url: `${url}/v1/traces`, headers: {}, resource: {}, timeoutMs, texts };
  const exporter = openExporter(plan, {
    fetch,
    version: '1.2.3',
    clean: (text) => text.replaceAll('hunter2', '***'),
    lost: (spans, why) => lost.push({ spans, why }),
  });
  return { ...exporter, lost };
}

test('what waits is sent at the end, in batches', async () => {
  collector = await startCollector();
  const { tracing, close, lost } = exporterTo(collector.url);
  for (let n = 0; n < 300; n++) tracing.tracer.startSpan(`span ${n}`).end();
  await close();
  expect(collector.spans).toHaveLength(300);
  expect(collector.bodies).toHaveLength(2);
  expect(collector.resources[0]).toEqual({ 'service.version': '1.2.3' });
  expect(lost).toEqual([]);
});

test('spans for a collector that is gone are lost and told, and more of them than fit are not kept', async () => {
  const { tracing, close, lost } = exporterTo(NOBODY);
  for (let n = 0; n < 5_000; n++) tracing.tracer.startSpan('x').end();
  await close();
  const sum = lost.reduce((all, { spans }) => all + spans, 0);
  expect(sum).toBe(5_000);
  expect(lost[0]?.why).toMatch(/fetch failed/);
  expect(lost.some(({ why }) => /more than 2048 waited/.test(why))).toBe(true);
});

test('the end does not wait for a collector that never answers', async () => {
  collector = await startCollector({ answers: false });
  const { tracing, close, lost } = exporterTo(collector.url, { timeoutMs: 200 });
  tracing.tracer.startSpan('x').end();
  await close();
  expect(lost.map(({ spans }) => spans)).toEqual([1]);
});

test('a refusal and a redirect lose the spans: the headers are for one host alone', async () => {
  collector = await startCollector();
  const { tracing, close, lost } = exporterTo(`${collector.url}/elsewhere`);
  tracing.tracer.startSpan('x').end();
  await close();
  expect(lost).toEqual([{ spans: 1, why: 'status 404' }]);
});

test('texts are left out unless asked for; then they are cleaned and short', () => {
  expect(exporterTo(NOBODY).tracing.text).toBeNull();
  const { text } = exporterTo(NOBODY, { texts: true }).tracing;
  expect(text?.('my hunter2')).toBe('my ***');
  expect(text?.('x'.repeat(100_000)).length).toBeLessThan(5_000);
});
