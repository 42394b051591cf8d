import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { openStateStore, readState, stateProblem } from '../../src/main/app/state-store';
import { createNodeFiles } from '../../src/main/node/files';

const DEFAULTS = readState('{}').state;
const PREFERENCES = { theme: 'dark', zoom: 1.25, layout: { main: { left: 20 } } };

describe('a state file', () => {
  test.each([
    ['nothing', '', 'it is no JSON', DEFAULTS],
    ['a torn object', '{"recents":["/a"', 'it is no JSON', DEFAULTS],
    ['a list', '[]', 'it is no JSON object', DEFAULTS],
    ['an empty object', '{}', null, DEFAULTS],
    [
      'what is whole',
      JSON.stringify({ ...DEFAULTS, recents: ['/a'] }),
      null,
      { ...DEFAULTS, recents: ['/a'] },
    ],
    [
      'fields of a later version',
      '{"later":1,"recents":["/a"]}',
      null,
      { ...DEFAULTS, recents: ['/a'] },
    ],
    [
      'two fields that are wrong beside a good one',
      JSON.stringify({ preferences: PREFERENCES, recents: 7, connection: 'elsewhere' }),
      'not usable: recents, connection',
      { ...DEFAULTS, preferences: PREFERENCES },
    ],
    ['a key that means something else', '{"__proto__":{"recents":["/a"]}}', null, DEFAULTS],
  ])('that holds %s', (_what, text, damage, state) => {
    expect(readState(text)).toEqual({ state, damage });
  });
});

describe('the state store', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'state-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));
  const file = () => join(home, 'state.json');

  async function open() {
    const told: string[] = [];
    const tell = ({ message }: { readonly message: string }) => {
      told.push(message);
      return () => void told.splice(told.indexOf(message), 1);
    };
    return { told, store: await openStateStore(createNodeFiles(), home, tell) };
  }

  it('keeps what it could not read beside, and tells where', async () => {
    writeFileSync(file(), '{"recents":["/a"');
    const { store, told } = await open();
    expect(told).toEqual([expect.stringContaining(`kept in ${file()}.damaged`)]);
    await store.update({ recents: ['/b'] });
    expect(readFileSync(`${file()}.damaged`, 'utf8')).toBe('{"recents":["/a"');
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({ recents: ['/b'] });
    expect((await open()).told).toEqual([]);
  });

  it('keeps what was kept before, and the same bytes once', async () => {
    for (const text of ['{"one', '{"two', '{"one']) {
      writeFileSync(file(), text);
      await open();
    }
    expect(readFileSync(`${file()}.damaged`, 'utf8')).toBe('{"one');
    expect(readFileSync(`${file()}.damaged-2`, 'utf8')).toBe('{"two');
    expect(readdirSync(home)).toHaveLength(3);
  });

  it('is looked at for a report without a copy', async () => {
    writeFileSync(file(), '{"one');
    expect(await stateProblem(createNodeFiles(), home)).toMatchObject({
      file: file(),
      message: expect.stringContaining('it is no JSON'),
    });
    expect(readdirSync(home)).toEqual(['state.json']);
  });

  it('writes over nothing it could neither read nor copy', async () => {
    const long = ' '.repeat(5 * 1024 * 1024);
    writeFileSync(file(), long);
    const { store, told } = await open();
    expect(told).toEqual([expect.stringContaining('nothing is saved')]);
    await store.update({ recents: ['/b'] });
    expect(store.get().recents).toEqual(['/b']);
    expect(readFileSync(file(), 'utf8')).toBe(long);
  });

  it('tells what it cannot save as long as that lasts, and saves it once it can', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { store, told } = await open();
    for (const path of ['/a', '/b']) {
      rmSync(home, { recursive: true });
      writeFileSync(home, 'in the way');
      await store.update({ recents: [path] });
      await store.update({ recents: [path, '/more'] });
      expect(told).toEqual([expect.stringContaining('Choices are not saved at the moment')]);
      rmSync(home);
      mkdirSync(home);
      await vi.advanceTimersByTimeAsync(5000);
      await vi.waitFor(() => expect(told).toEqual([]));
      expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({ recents: [path, '/more'] });
    }
  });

  it('says nothing of a file that is not there, and saves changes in their order', async () => {
    const { store, told } = await open();
    await Promise.all(['/a', '/b', '/c'].map((path) => store.update({ recents: [path] })));
    expect(told).toEqual([]);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({ recents: ['/c'] });
  });
});
