import { describe, expect, it, onTestFinished } from 'vitest';
import { createSearchThread } from '../../src/main/search/search-thread';
import type { SearchAnswer } from '../../src/shared/session-search';
import { tempFolder } from '../node/temp-folder';
import { buildSearchWorker } from '../support/build-entry';
import { appendLog, itemsOf, places, prompt, started, writeLog } from './logs';

const never = new AbortController().signal;

async function openThread(folder: string, script?: string) {
  const thread = createSearchThread(script ?? (await buildSearchWorker()), places(folder));
  onTestFinished(() => thread.close());
  const last = async (text: string): Promise<SearchAnswer> => {
    let found: SearchAnswer | null = null;
    for await (const answer of thread.search(text, never)) {
      if (!answer.ok) throw new Error(answer.error.message);
      found = answer.value;
    }
    if (found === null) throw new Error('no answer');
    return found;
  };
  return { ...thread, last };
}

describe('searching in a thread', () => {
  it('finds what is in the logs, and what is added', async () => {
    const folder = await tempFolder();
    await writeLog(folder, 'aaaa', [started(), prompt(10, 'a lamp')]);
    const thread = await openThread(folder);
    expect(itemsOf(await thread.last('lamp'))).toEqual(['aaaa/p10']);
    await appendLog(folder, 'aaaa', [prompt(20, 'more lamps')]);
    expect(itemsOf(await thread.last('LAMP'))).toEqual(['aaaa/p20', 'aaaa/p10']);
    expect(await thread.last('"')).toMatchObject({ hits: [], progress: null });
    await thread.close();
    expect(itemsOf(await thread.last('more'))).toEqual(['aaaa/p20']);
  });

  it('answers several searches at once', async () => {
    const folder = await tempFolder();
    for (const name of ['aaaa', 'bbbb']) {
      await writeLog(folder, name, [started(), prompt(name === 'aaaa' ? 10 : 20, `lamp ${name}`)]);
    }
    const thread = await openThread(folder);
    const found = await Promise.all(['lamp', 'aaaa', 'bbbb'].map(thread.last));
    expect(found.map(itemsOf)).toEqual([['bbbb/p20', 'aaaa/p10'], ['aaaa/p10'], ['bbbb/p20']]);
  });

  it('ends without an answer when it is cancelled, and searches on afterwards', async () => {
    const folder = await tempFolder();
    await writeLog(folder, 'aaaa', [started(), prompt(10, 'a lamp')]);
    const thread = await openThread(folder);
    const cancelled = new AbortController();
    const answers = thread.search('lamp', cancelled.signal);
    const first = answers.next();
    cancelled.abort();
    expect(await first).toMatchObject({ done: true });
    expect(itemsOf(await thread.last('lamp'))).toEqual(['aaaa/p10']);
    expect(await thread.search('lamp', cancelled.signal).next()).toMatchObject({ done: true });
  });

  it('reads the logs each time where there can be no index, and says so', async () => {
    const folder = await tempFolder();
    await writeLog(folder, 'aaaa', [started(), prompt(10, 'a lamp')]);
    // A file where the folder of the index should be.
    const blocked = { ...places(folder), index: `${folder}/projects/p/session-aaaa.jsonl/x/y.db` };
    const thread = createSearchThread(await buildSearchWorker(), blocked);
    onTestFinished(() => thread.close());
    const found: SearchAnswer[] = [];
    for await (const answer of thread.search('lamp', never))
      if (answer.ok) found.push(answer.value);
    expect(found.map(itemsOf)).toEqual([['aaaa/p10']]);
    expect(found[0]?.note).toContain('no search index');
  });

  it('says why when the thread cannot run', async () => {
    const thread = await openThread(await tempFolder(), '/there/is/none.mjs');
    const answer = await thread.search('lamp', never).next();
    expect(answer.value).toMatchObject({ ok: false, error: { code: 'search_failed' } });
  });
});
