import { describe, expect, test } from 'vitest';
import type { PromptAttachment } from '../../../src/renderer/store/attachments';
import {
  commentKey,
  createDrafts,
  createKeptForms,
  createLastShown,
  createLostScreens,
  storageOr,
  touch,
} from '../../../src/renderer/store/browser-storage';
import { mergeState } from '../../../src/renderer/store/lathe';
import { withLayout } from '../../../src/renderer/store/settings';

function storage(initial: Record<string, string> = {}) {
  const kept = new Map(Object.entries(initial));
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => {
      kept.set(key, value);
    },
  };
}

test('touching moves to the front and drops what no longer fits', () => {
  expect(touch(['a', 'b'], 'b', 2)).toEqual({ order: ['b', 'a'], dropped: [] });
  expect(touch(['a', 'b'], 'c', 2)).toEqual({ order: ['c', 'a'], dropped: ['b'] });
});

describe('drafts', () => {
  test('come back after a restart', () => {
    const disk = storage();
    createDrafts(disk).set('s1', 'half a thought');
    expect(createDrafts(disk).get('s1')).toBe('half a thought');
  });

  test('are forgotten when sent', () => {
    const disk = storage();
    const drafts = createDrafts(disk);
    drafts.set('s1', 'x');
    drafts.set('s1', '');
    expect(createDrafts(disk).get('s1')).toBe('');
  });

  test('are at most fifty; the oldest goes', () => {
    const disk = storage();
    const drafts = createDrafts(disk);
    for (let i = 0; i <= 50; i += 1) drafts.set(`s${i}`, 'x');
    expect(createDrafts(disk).get('s0')).toBe('');
    expect(createDrafts(disk).get('s50')).toBe('x');
  });

  test('of comments are twenty and push out no prompt', () => {
    const disk = storage();
    const drafts = createDrafts(disk);
    drafts.set('s1', 'a prompt');
    const keys = Array.from({ length: 60 }, (_, at) => commentKey('s1', `a.ts#L${at}`, 'text'));
    for (const key of keys) drafts.set(key, 'x');
    const again = createDrafts(disk);
    expect(again.get('s1')).toBe('a prompt');
    expect(keys.filter((key) => again.get(key) !== '')).toEqual(keys.slice(-20));
  });

  test('of comments belong to a line with its text', () => {
    const drafts = createDrafts(storage());
    drafts.set(commentKey('s1', 'a.ts#L40', 'one'), 'why?');
    expect(drafts.get(commentKey('s1', 'a.ts#L40', 'one'))).toBe('why?');
    expect(drafts.get(commentKey('s1', 'a.ts#L40', 'another'))).toBe('');
  });

  test('a huge one stays on screen and is not stored', () => {
    const disk = storage();
    const drafts = createDrafts(disk);
    drafts.set('s1', 'x'.repeat(60_000));
    expect(drafts.get('s1').length).toBe(60_000);
    expect(createDrafts(disk).get('s1')).toBe('');
  });

  test('of one session are told apart in two windows, and stay so over a reload', () => {
    const disk = storage();
    const [ownOfA, ownOfB] = [storage(), storage()];
    const a = createDrafts(disk, undefined, ownOfA);
    const b = createDrafts(disk, undefined, ownOfB);
    a.set('s1', 'alpha');
    b.set('s1', 'beta');
    expect(createDrafts(disk, undefined, ownOfA).get('s1')).toBe('alpha');
    expect(createDrafts(disk, undefined, ownOfB).get('s1')).toBe('beta');
    // What one has sent takes nothing from the other, which may be closed.
    a.set('s1', '');
    expect(createDrafts(disk, undefined, storage()).get('s1')).toBe('beta');
  });

  test('of other sessions that another window has begun meanwhile are not lost', () => {
    const disk = storage();
    const [a, b] = [createDrafts(disk), createDrafts(disk)];
    b.set('s2', 'of b');
    a.set('s1', 'of a');
    a.set('s1', '');
    expect(createDrafts(disk).get('s2')).toBe('of b');
  });

  test.each(['not json', '[]', 'null', '{"s1": 4}', '{"__proto__": "x"}'])(
    'a damaged store (%s) is no obstacle',
    (text) => {
      const drafts = createDrafts(storage({ 'lathe.drafts': text }));
      expect(drafts.get('s1')).toBe('');
      drafts.set('s1', 'works');
      expect(drafts.get('s1')).toBe('works');
    },
  );

  test('a full storage does not stop the typing', () => {
    const drafts = createDrafts({
      getItem: () => null,
      setItem: () => {
        throw new Error('quota');
      },
    });
    drafts.set('s1', 'still here');
    expect(drafts.get('s1')).toBe('still here');
  });
});

describe('last shown', () => {
  test('is what was written', () => {
    const memory = createLastShown(storage());
    const place = { project: '/p', sessionId: 's1', untrusted: ['/p'] };
    memory.write(place);
    expect(memory.read()).toEqual(place);
  });

  test.each(['nonsense', '7', '{"project": 3, "untrusted": [1, "/p"]}'])(
    '%s is survived',
    (text) => {
      const { project, sessionId } = createLastShown(storage({ 'lathe.place': text })).read();
      expect([project, sessionId]).toEqual([null, null]);
    },
  );
});

describe('lost screens', () => {
  test('come back, also after another reload, until their terminal is closed', () => {
    const tab = storage();
    createLostScreens(tab).save({ a: 'seen a', b: 'seen b' }, new Set(['a', 'b']));
    const second = createLostScreens(tab);
    expect([second.get('a'), second.get('b'), second.get('c')]).toEqual(['seen a', 'seen b', null]);
    second.save({ b: 'seen b' }, new Set(['a', 'b']));
    expect(createLostScreens(tab).get('a')).toBe('seen a');
    second.save({}, new Set(['b']));
    expect([createLostScreens(tab).get('a'), createLostScreens(tab).get('b')]).toEqual([
      null,
      'seen b',
    ]);
  });

  test('are kept by their ends, the newest, within bounds', () => {
    const tab = storage();
    const long = `${'x'.repeat(300_000)}the end`;
    const ids = Array.from({ length: 12 }, (_, at) => `t${at}`);
    createLostScreens(tab).save(Object.fromEntries(ids.map((id) => [id, long])), new Set(ids));
    const kept = createLostScreens(tab);
    expect(ids.filter((id) => kept.get(id) !== null)).toEqual(ids.slice(-5));
    expect(kept.get('t11')).toMatch(/^x{199993}the end$/);
  });

  test.each(['nonsense', '7', '{"a": 3}'])('%s is survived', (text) => {
    expect(createLostScreens(storage({ 'lathe.lost-terminals': text })).get('a')).toBeNull();
  });
});

test('layouts of at most fifty projects are kept', () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`/p${i}`, { side: 20 }]));
  const next = withLayout(many, '/new', { side: 30 });
  expect(Object.keys(next).length).toBe(50);
  expect(next['/new']).toEqual({ side: 30 });
});

test('news replaces only the slices it names', () => {
  const first = mergeState(null, { recents: ['/a'] });
  const second = mergeState(first, { connection: { kind: 'demo' } });
  expect(second).toMatchObject({ recents: ['/a'], connection: { kind: 'demo' } });
});

test('a forbidden storage is replaced by one that forgets', () => {
  const kept = storageOr(() => {
    throw new Error('SecurityError');
  });
  kept.setItem('a', 'b');
  expect(kept.getItem('a')).toBe('b');
});

describe('the attachments of drafts', () => {
  const image = (name: string) =>
    ({ kind: 'image', name, mediaType: 'image/png', data: '' }) as const;
  /** A database in memory. */
  function database(initial: Record<string, readonly PromptAttachment[]> = {}) {
    const kept = new Map(Object.entries(initial));
    return {
      kept,
      load: async () => new Map(kept),
      save: async (draft: string, list: readonly PromptAttachment[]) => {
        if (list.length === 0) kept.delete(draft);
        else kept.set(draft, list);
      },
    };
  }
  const loaded = () => new Promise<void>((resolve) => setImmediate(resolve));

  test('come back after a reload, until they are sent', async () => {
    const disk = database();
    createDrafts(storage(), disk).attach('s1', [image('a')]);
    const again = createDrafts(storage(), disk);
    let told = 0;
    again.subscribe(() => {
      told += 1;
    });
    await loaded();
    expect([again.attached('s1'), told]).toEqual([[image('a')], 1]);
    again.attach('s1', []);
    expect(disk.kept.size).toBe(0);
  });

  test('what changed before they arrived stays as it is', async () => {
    const disk = database({ s1: [image('a')], s2: [image('b')], s3: [image('c')] });
    const drafts = createDrafts(storage(), disk);
    drafts.attach('s1', []);
    drafts.attach('s2', [image('new')]);
    await loaded();
    expect(['s1', 's2', 's3'].map((id) => drafts.attached(id))).toEqual([
      [],
      [image('new')],
      [image('c')],
    ]);
  });

  test('are those of ten drafts; the oldest go from the disk too', async () => {
    const disk = database();
    const drafts = createDrafts(storage(), disk);
    await loaded();
    for (let i = 0; i <= 10; i += 1) drafts.attach(`s${i}`, [image('a')]);
    expect([...disk.kept.keys()]).toEqual(Array.from({ length: 10 }, (_, i) => `s${i + 1}`));
    expect(drafts.attached('s0')).toEqual([]);
  });
});

describe('what was begun in dialogs', () => {
  test('what was begun is there after a reload, until it is forgotten', () => {
    const tab = storage();
    const before = createKeptForms(tab);
    before.set('reason a', 'use y');
    before.set('reason __proto__', 'use z');
    before.set('plan b', 'first');
    before.set('plan b', null);
    const after = createKeptForms(tab);
    expect(after.get('reason a')).toBe('use y');
    expect(after.get('reason __proto__')).toBe('use z');
    expect(after.get('plan b')).toBeNull();
  });

  test('nothing is kept of a question that was answered', () => {
    const tab = storage();
    const forms = createKeptForms(tab);
    for (const key of ['reason a', 'panel a b', 'answers a', 'reason aa']) forms.set(key, 'so far');
    forms.forget('a');
    expect(JSON.parse(tab.getItem('lathe.forms') ?? '')).toEqual({ 'reason aa': 'so far' });
    expect(forms.get('reason a')).toBeNull();
  });

  test('the oldest make room, and what is too long for the storage is not kept', () => {
    const tab = storage();
    const forms = createKeptForms(tab);
    for (let n = 0; n < 60; n += 1) forms.set(`reason ${n}`, 'x');
    forms.set('reason long', 'x'.repeat(100_000));
    const after = createKeptForms(tab);
    expect(after.get('reason 0')).toBeNull();
    expect(after.get('reason 59')).toBe('x');
    expect(after.get('reason long')).toBeNull();
  });

  test.each(['', 'null', '[1]', '{"a":1}', 'not json'])('a storage with %j is none', (text) => {
    const tab = storage();
    tab.setItem('lathe.forms', text);
    expect(createKeptForms(tab).get('a')).toBeNull();
  });

  test('a full storage does not stop the typing', () => {
    const full = {
      getItem: () => null,
      setItem: () => {
        throw new Error('full');
      },
    };
    const forms = createKeptForms(full);
    forms.set('reason a', 'use y');
    expect(forms.get('reason a')).toBe('use y');
  });
});
