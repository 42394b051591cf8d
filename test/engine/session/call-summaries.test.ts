import { afterEach, expect, test } from 'vitest';
import type { CallSummary } from '../../../src/main/engine/session/call-summaries';
import type { RecordedRequest } from '../../support/scripted-api';
import { hang, type Reply, reply } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';
import { soon } from '../../support/soon';
import { echo } from './sub-agent-session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const asksForWords = ({ body }: RecordedRequest): boolean =>
  JSON.stringify(body.system).includes('You name what a coding agent just did');

/** A session whose model makes one call, and answers the question for words with `words`. */
async function start(words: Reply, signal: AbortSignal) {
  const answers = [reply([echo('a', 'e1')]), reply('the end')];
  open = await openTestSession((request) =>
    asksForWords(request) ? words : (answers.shift() ?? reply('too many')),
  );
  const told: CallSummary[] = [];
  const summaries = open.session.summariseCalls((summary) => told.push(summary), signal);
  await open.run('go');
  return { told, summaries, api: open.api };
}

test('the last words are waited for', async () => {
  const { told, summaries } = await start(reply('Echoed a'), new AbortController().signal);
  await summaries.end();
  expect(told).toEqual([{ summary: 'Echoed a', callIds: ['e1'] }]);
});

test('whoever ends the run waits for no words that do not come', async () => {
  const ending = new AbortController();
  const { told, summaries, api } = await start(hang(), ending.signal);
  await soon(() => expect(api.requests.some(asksForWords)).toBe(true));
  ending.abort();
  await summaries.end();
  expect(told).toEqual([]);
});
