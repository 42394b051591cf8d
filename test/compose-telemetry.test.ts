import { expect, test } from 'vitest';
import { createKeyRing } from '../src/main/compose-client';
import { composeTelemetry } from '../src/main/compose-telemetry';

test('texts in spans lose the key that a user typed, from when it is known', async () => {
  const ring = createKeyRing();
  const { telemetry } = composeTelemetry({
    env: {
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    },
    version: '1',
    fetch,
    log: null,
    keys: ring.keys,
  });
  const { text } = (await telemetry?.open()) ?? {};
  ring.add('typed-in-the-window');
  expect(text?.('the key is typed-in-the-window.')).toBe('the key is {{secret}}.');
  await telemetry?.close();
});

test('of keys that change again and again the latest are kept', () => {
  const ring = createKeyRing();
  for (let n = 0; n < 500; n += 1) ring.add(`key-${n}`);
  const kept = [...ring.keys()];
  expect(kept.length).toBeLessThan(100);
  expect(kept.at(-1)).toBe('key-499');
});
