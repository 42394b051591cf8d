import { expect, it } from 'vitest';
import type { Ask } from '../../../src/renderer/store/ask';
import { createScreenStore } from '../../../src/renderer/store/screen';
import { stopSession } from '../../../src/renderer/store/sessions';
import { err, fault, ok, type Result } from '../../../src/shared/result';
import { emptyTranscript } from '../../../src/shared/transcript';

it.each<[string, Result<null>, readonly string[]]>([
  ['that is stopped', ok(null), []],
  ['that has ended meanwhile', err(fault('not_running', 'Nothing is running.')), []],
  ['that cannot be reached', err(fault('closed', 'It is closed.')), ['It is closed.']],
])('stopping a query %s tells what a user must know', async (_, stopped, told) => {
  const store = createScreenStore();
  const running = { queryId: 'q', startedAt: 0, turn: 1 };
  const transcript = { ...emptyTranscript('s', 'e'), running };
  store.setState({ sessionId: 's', transcripts: { s: transcript } });
  const client = { session: { stop: async () => stopped } };
  const ask = ((call: (given: unknown) => unknown) => call(client)) as unknown as Ask;
  await stopSession({ ask, store });
  expect(store.getState().toasts.map(({ text }) => text)).toEqual(told);
});
