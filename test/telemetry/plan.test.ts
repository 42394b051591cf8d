import { expect, test } from 'vitest';
import { tracePlan } from '../../src/main/telemetry/plan';

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const OWN = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
const PROTOCOL = 'OTEL_EXPORTER_OTLP_PROTOCOL';

test.each([
  ['nothing', {}, null],
  ['other variables', { OTEL_SERVICE_NAME: 'x', [PROTOCOL]: 'http/json' }, null],
  ['none, with an endpoint', { OTEL_TRACES_EXPORTER: 'none', [ENDPOINT]: 'http://c' }, null],
  ['switched off', { OTEL_SDK_DISABLED: 'true', [ENDPOINT]: 'http://c' }, null],
  ['otlp alone', { OTEL_TRACES_EXPORTER: 'otlp' }, 'http://localhost:4318/v1/traces'],
  ['an endpoint for all', { [ENDPOINT]: 'https://c/otlp/' }, 'https://c/otlp/v1/traces'],
  ['one of traces, taken as it is', { [ENDPOINT]: 'http://c', [OWN]: 'http://d/x' }, 'http://d/x'],
])('spans are sent only where the environment says so: %s', (_name, env, url) => {
  const plan = tracePlan(env);
  expect(plan.ok && (plan.value?.url ?? null)).toBe(url);
});

test.each([
  ['another exporter', { OTEL_TRACES_EXPORTER: 'zipkin' }, /^OTEL_TRACES_EXPORTER: .*Set otlp/],
  [
    'gRPC',
    { [ENDPOINT]: 'http://c:4317', [PROTOCOL]: 'grpc' },
    /^OTEL_EXPORTER_OTLP_PROTOCOL: .*4318/,
  ],
  ['no address', { [ENDPOINT]: 'collector:4318' }, /^OTEL_EXPORTER_OTLP_ENDPOINT: .*http:\/\//],
  [
    'a password',
    { [ENDPOINT]: 'http://me:hunter2@c' },
    /^OTEL_EXPORTER_OTLP_ENDPOINT: (?!.*hunter2).*HEADERS/,
  ],
  ['a file', { [OWN]: 'file:///etc/passwd' }, /^OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: /],
])('what cannot be used is named with its fix, and nothing is sent: %s', (_name, env, message) => {
  const plan = tracePlan(env);
  expect(plan.ok ? '' : plan.error).toMatch(message);
});

test('headers, names and texts are read as OpenTelemetry writes them', () => {
  const plan = tracePlan({
    [ENDPOINT]: 'http://c',
    OTEL_EXPORTER_OTLP_HEADERS: ' api-key = a%3Db , bad, x=%zz',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=one,team=core',
    OTEL_SERVICE_NAME: 'two',
    OTEL_EXPORTER_OTLP_TIMEOUT: '3000',
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
  });
  expect(plan.ok && plan.value).toEqual({
    url: 'http://c/v1/traces',
    headers: { 'api-key': 'a=b', x: '%zz' },
    resource: { 'service.name': 'two', team: 'core' },
    timeoutMs: 3000,
    texts: true,
  });
});
