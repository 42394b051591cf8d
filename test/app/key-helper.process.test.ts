import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyHelper, HELPER_TTL_MS, withKeyHelper } from '../../src/main/app/connection';
import type {
  ModelClient,
  ModelEvent,
  ModelRequest,
} from '../../src/main/engine/model/model-client';
import { createNodePrograms } from '../../src/main/node/programs';
import { memoryClock } from '../support/memory-clock';

const signal = new AbortController().signal;
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lathe-helper-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function helperOf(command: string, ofProject = false) {
  const clock = memoryClock();
  const getKey = createKeyHelper({
    helper: { command, file: '/s.json', ofProject },
    project: folder,
    home: tmpdir(),
    platform: 'linux',
    env: {},
    programs: createNodePrograms(),
    clock,
  });
  return { clock, key: () => getKey(signal) };
}

const counting = (file: string) =>
  `echo x >> '${file}'; echo "key-$(wc -l < '${file}' | tr -d ' ')"`;

describe('a helper for the key', () => {
  it('is run once for as long as its key is fresh', async () => {
    const { clock, key } = helperOf(counting(join(folder, 'runs')));
    expect([await key(), await key()]).toMatchObject([{ value: 'key-1' }, { value: 'key-1' }]);
    await clock.advance(HELPER_TTL_MS);
    expect(await key()).toMatchObject({ value: 'key-2' });
  });

  it('runs where nobody else can meddle, unless the project names it', async () => {
    const where = `pwd > '${join(folder, 'where')}'; echo k`;
    await helperOf(where).key();
    expect((await readFile(join(folder, 'where'), 'utf8')).trim()).not.toBe(folder);
    await helperOf(where, true).key();
    expect((await readFile(join(folder, 'where'), 'utf8')).trim()).toBe(folder);
  });

  it.each([
    ['exit 3', /apiKeyHelper in \/s\.json failed with exit code 3\./],
    ['echo secret-output; exit 1', /exit code 1/],
    ['no-such-program-here', /exit code 127/],
    ['true', /printed no key/],
    ['echo two words', /printed something that is no key/],
    ['printf "a\\nb: c"', /printed something that is no key/],
  ])('%s: says what is wrong, never what it printed', async (command, line) => {
    const key = await helperOf(command).key();
    expect(key.ok ? '' : key.error.message).toMatch(line);
    expect(JSON.stringify(key)).not.toMatch(/secret-output|two words|b: c/);
  });

  it('a request without a key fails as one that was refused', async () => {
    await writeFile(join(folder, 'key'), '');
    const { key } = helperOf('exit 9');
    const never: ModelClient = {
      // biome-ignore lint/correctness/useYield: it must not be asked
      async *stream() {
        throw new Error('asked');
      },
    };
    const events: ModelEvent[] = [];
    const request: ModelRequest = { model: 'm', maxTokens: 1, system: [], messages: [], tools: [] };
    for await (const event of withKeyHelper(key, () => never).stream(request, signal))
      events.push(event);
    expect(events).toMatchObject([
      { type: 'failed', error: { kind: 'auth', retryable: false, fix: expect.any(String) } },
    ]);
  });
});
