import { afterEach, expect, test } from 'vitest';
import { openExporter } from '../../src/main/telemetry/exporter';
import { type Collector, startCollector } from '../support/collector';

let collector: Collector | undefined;
afterEach(async () => {
  await collector?.close();
  collector = undefined;
});

function exporterTo(url: string, texts = false) {
  const lost: { readonly spans: number; readonly why: string }[] = [];
  const plan = { url: `${url}/v1/traces`, headers: {}, resource: {}, texts };
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
  const gone = await startCollector();
  await gone.close();
  const { tracing, close, lost } = exporterTo(gone.url);
  for (let n = 0; n < 5_000; n++) tracing.tracer.startSpan('x').end();
  await close();
  const sum = lost.reduce((all, { spans }) => all + spans, 0);
  expect(sum).toBeGreaterThan(0);
  expect(sum).toBeLessThan(5_000);
  expect(lost[0]?.why).toMatch(/ECONNREFUSED/);
});

test('the end does not wait for a collector that never answers', async () => {
  collector = await startCollector({ answers: false });
  const { tracing, close } = exporterTo(collector.url);
  tracing.tracer.startSpan('x').end();
  await close();
  expect(collector.spans).toHaveLength(1);
});

test('a refusal and a redirect lose the spans: the headers are for one host alone', async () => {
  collector = await startCollector();
  const { tracing, close, lost } = exporterTo(`${collector.url}/elsewhere`);
  tracing.tracer.startSpan('x').end();
  await close();
  expect(lost).toEqual([{ spans: 1, why: 'status 404' }]);
});

test('texts are left out unless asked for; then they are cleaned and short', () => {
  expect(exporterTo('http://127.0.0.1:9').tracing.text).toBeNull();
  const { text } = exporterTo('http://127.0.0.1:9', true).tracing;
  expect(text?.('my hunter2')).toBe('my ***');
  expect(text?.('x'.repeat(100_000)).length).toBeLessThan(5_000);
});
