import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { headAndTail } from '../../../src/main/engine/attachments/head-and-tail';
import { MAX_FILE_CHARS } from '../../../src/main/engine/attachments/mentioned-file';
import { createMentions } from '../../../src/main/engine/attachments/mentions';
import { aboutOf, parseMentions } from '../../../src/main/engine/attachments/parse-mentions';
import type { PermissionRule } from '../../../src/shared/permission';
import { countSteps } from '../../support/count-steps';
import { TINY_IMAGES } from '../../support/images';
import { noResources } from '../../support/tool-environment';
import {
  answer,
  attached,
  contextOf,
  prompt,
  rule,
  type TemporaryProject,
  take,
  temporaryProject,
} from './support';

describe('what is a mention', () => {
  it.each<[string, string[]]>([
    ['look at @src/a.ts please', ['@src/a.ts']],
    ['@a.ts, @b.ts and (@c.ts).', ['@a.ts', '@b.ts', '@c.ts']],
    ['see @"my notes/über uns.md"!', ['@my notes/über uns.md']],
    ['@a.ts @a.ts', ['@a.ts']],
    ['@src/a.ts#L5 and @b.ts#L10-20', ['@src/a.ts#L5-5', '@b.ts#L10-20']],
    ['@b.ts#L20-10', ['@b.ts#L20-20']],
    ['mail me@example.com', []],
    ['@ alone, @"" too', []],
    ['@~/notes.md @/etc/hosts @../up', ['@~/notes.md', '@/etc/hosts', '@../up']],
    ['@日本/語.txt', ['@日本/語.txt']],
    ['@"left open\nand @b.ts', ['@b.ts']],
    ['@"left open @a.ts\n@"b c.ts" @d.ts', ['@a.ts', '@b c.ts', '@d.ts', '@left open @a.ts\n@']],
    [`${'@x '.repeat(50)}`, ['@x']],
  ])('%s', (text, expected) => {
    expect(parseMentions(text).map(aboutOf)).toEqual(expected);
  });

  it('is bounded, also in the time that a pasted text takes', () => {
    expect(parseMentions(`@${'.'.repeat(1e6)}x`)).toEqual([]);
    expect(parseMentions(`@"${'\\"'.repeat(1e5)}`)).toHaveLength(1);
    expect(parseMentions(`@"${'\\"@"'.repeat(3e4)}`).length).toBeLessThanOrEqual(20);
    const text = Array.from({ length: 100 }, (_, i) => `@f${i}`).join(' ');
    expect(parseMentions(text)).toHaveLength(20);
  });

  it('looks at a part of a long text in which the same few names stand', async () => {
    for (const line of ['at @me/log.ts\n', 'at @"me/log.ts"\n', 'at @"me\nlog.ts"\n']) {
      const steps = await countSteps(() => expect(parseMentions(line.repeat(1e5))).toHaveLength(1));
      expect(steps).toBeLessThan(100_000);
    }
  });
});

describe('head and tail', () => {
  it('keeps what fits as it is', () => {
    expect(headAndTail(['a', 'b'], 3, 100)).toEqual({ text: '     3\ta\n     4\tb', whole: true });
  });

  it('keeps 80 % and 20 % of the limit, and says what is missing', () => {
    const lines = Array.from({ length: 1000 }, (_, i) => `line ${String(i + 1).padStart(4, '0')}`);
    const { text, whole } = headAndTail(lines, 1, 1700);
    const shown = text.split('\n');
    expect(whole).toBe(false);
    // 17 characters a line with number, tab and line end: 80 lines from the head, 20 from the tail.
    expect(shown).toHaveLength(101);
    expect(shown[79]).toBe('    80\tline 0080');
    expect(shown[80]).toMatch(/lines 81 to 980 .* offset 81/);
    expect(shown[81]).toBe('   981\tline 0981');
  });

  it('cuts lines that are too long, never a character in two', () => {
    const { text } = headAndTail(['😀'.repeat(5000), 'end'], 1, 10_000);
    expect(text).toContain('line cut');
    expect(text.isWellFormed()).toBe(true);
  });

  it('never exceeds the limit by more than its marker, and loses only the middle', () => {
    const line = fc.string({ maxLength: 60 }).map((text) => text.replaceAll(/[\r\n]/g, ''));
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 60 }),
        fc.integer({ min: 1, max: 900 }),
        (lines, max) => {
          const { text, whole } = headAndTail(lines, 1, max);
          const shown = text === '' ? [] : text.split('\n');
          if (whole) return shown.length === lines.length;
          const marker = shown.findIndex((one) => one.startsWith('[… lines '));
          const [from = 0, to = 0] = (shown[marker]?.match(/\d+/g) ?? []).map(Number);
          const kept = shown.toSpliced(marker, 1).join('\n').length;
          return (
            from === marker + 1 && lines.length - to === shown.length - marker - 1 && kept <= max
          );
        },
      ),
    );
  });

  it('leaves out at least one line when the whole is too long', () => {
    const { text, whole } = headAndTail(['x'.repeat(50)], 1, 10);
    expect({ text, whole }).toMatchObject({ whole: false });
    expect(text).toMatch(/lines 1 to 1 /);
  });
});

let place: TemporaryProject | null = null;
afterEach(async () => {
  await place?.close();
  place = null;
});
const open = async (rules: readonly PermissionRule[] = []) => {
  place = await temporaryProject(rules);
  return {
    ...place,
    mentions: createMentions({ ...place, agents: () => ['Explore'], resources: noResources }),
  };
};
const PNG = TINY_IMAGES['image/png'];

describe('mentioned files', () => {
  it('are attached with line numbers, count as read, and are told once', async () => {
    const { project, environment, mentions } = await open();
    await writeFile(join(project, 'a.ts'), 'one\ntwo\n');
    const h = [prompt('fix @a.ts')];
    const [found] = await take(mentions, contextOf(h));
    expect(found).toMatchObject({ kind: 'mention', about: '@a.ts' });
    expect(found?.text).toContain('     1\tone\n     2\ttwo');
    expect(environment.agent.reads.get(join(project, 'a.ts'))).toMatchObject({
      whole: true,
      size: 8,
    });
    if (!found) throw new Error('nothing found');
    expect(await take(mentions, contextOf([...h, attached(found)]))).toEqual([]);
    expect(await take(mentions, contextOf([...h, answer('a')]))).toEqual([]);
  });

  it('of a sub-agent say whom the work is for, or which there are', async () => {
    const { mentions } = await open();
    const facts = await take(mentions, contextOf([prompt('@agent:explore find it, @agent:x too')]));
    expect(facts.map(({ about }) => about)).toEqual(['@agent:explore', '@agent:x']);
    expect(facts[0]?.text).toContain('a sub-agent of the kind Explore');
    expect(facts[1]?.text).toContain('There are: Explore.');
  });

  it('show the asked lines only, and then do not count as read whole', async () => {
    const { project, environment, mentions } = await open();
    await writeFile(join(project, 'a.ts'), 'one\r\ntwo\r\nthree\r\n');
    const [found] = await take(mentions, contextOf([prompt('@a.ts#L2-9 @a.ts#L7')]));
    expect(found?.text).toMatch(/lines 2 to 3 of 3.*\n {5}2\ttwo\n {5}3\tthree$/s);
    expect(environment.agent.reads.get(join(project, 'a.ts'))?.whole).toBe(false);
  });

  it('may have a name that ends like lines of another', async () => {
    const { project, mentions } = await open();
    await writeFile(join(project, 'a#L2'), 'of its own\n');
    await writeFile(join(project, 'b'), 'one\ntwo\n');
    const h = [prompt('see @a#L2 and @b#L2')];
    const found = await take(mentions, contextOf(h));
    expect(found.map(({ about }) => about)).toEqual(['@a#L2-2', '@b#L2-2']);
    expect(found[0]?.text).toMatch(
      /mentioned @a#L2\. .*a#L2, lines 1 to 1 of 1.*\n {5}1\tof its own$/s,
    );
    expect(found[1]?.text).toMatch(/lines 2 to 2 of 2.*\n {5}2\ttwo$/s);
    expect(await take(mentions, contextOf([...h, ...found.map(attached)]))).toEqual([]);
  });

  it('lose their middle when they are long, and must be read before an edit', async () => {
    const { project, environment, mentions } = await open();
    await writeFile(join(project, 'long.txt'), 'some text of a line\n'.repeat(20_000));
    const [found] = await take(mentions, contextOf([prompt('@long.txt')]));
    expect(found?.text.length).toBeLessThan(MAX_FILE_CHARS + 500);
    expect(found?.text).toContain('are left out here');
    expect(environment.agent.reads.get(join(project, 'long.txt'))?.whole).toBe(false);
  });

  it('may be images, folders, or nothing at all', async () => {
    const { project, environment, mentions } = await open();
    await environment.services.files.makeDirectory(join(project, 'src', 'deep'));
    await writeFile(join(project, 'src', 'b.ts'), '');
    await writeFile(join(project, 'shot.png'), PNG);
    await writeFile(join(project, 'data.bin'), Buffer.from([1, 0, 2]));
    const text = '@src @shot.png @data.bin @Injectable @src/b.ts';
    const found = await take(mentions, contextOf([prompt(text)]));
    expect(found.map((f) => f.about)).toEqual(['@src', '@shot.png', '@data.bin', '@src/b.ts']);
    expect(found[0]?.text).toContain('b.ts\ndeep/');
    expect(found[1]?.images?.[0]?.source).toMatchObject({ media_type: 'image/png' });
    expect(found[2]?.text).toContain('binary');
    expect(found[3]?.text).toContain('empty');
  });

  it('outside the working directories are not attached, and the model is told how to ask', async () => {
    const { root, project, environment, mentions } = await open();
    const secret = join(root, 'outside.txt');
    await writeFile(secret, 'do not show');
    await symlink(secret, join(project, 'link.txt'));
    const found = await take(mentions, contextOf([prompt(`@${secret} @link.txt @../outside.txt`)]));
    expect(found).toHaveLength(3);
    for (const one of found) {
      expect(one.text).toMatch(/not attached.*Read it; the user is then asked/);
      expect(one.text).not.toContain('do not show');
    }
    expect(environment.agent.reads.get(secret)).toBeNull();
  });

  it('that a rule denies are not attached and not listed', async () => {
    const { project, environment, mentions } = await open([rule('deny', 'Read(secrets/**)')]);
    await environment.services.files.makeDirectory(join(project, 'secrets'));
    await writeFile(join(project, 'secrets', 'key.pem'), 'KEY');
    await symlink(join(project, 'secrets', 'key.pem'), join(project, 'alias'));
    await writeFile(join(project, 'open.txt'), '');
    const found = await take(mentions, contextOf([prompt('@secrets/key.pem @alias @.')]));
    expect(found[0]?.text).toMatch(/may not be read: a deny rule covers it/);
    expect(found[1]?.text).toMatch(/may not be read/);
    expect(found[2]?.text).toContain('open.txt');
    expect(found[2]?.text).not.toContain('alias');
    expect(JSON.stringify(found)).not.toContain('KEY');
  });

  it('together never fill the window', async () => {
    const { project, mentions } = await open();
    for (let i = 0; i < 8; i += 1) {
      await writeFile(join(project, `f${i}.txt`), 'some text of a line\n'.repeat(5000));
    }
    const names = Array.from({ length: 8 }, (_, i) => `@f${i}.txt`).join(' ');
    const found = await take(mentions, contextOf([prompt(names)]));
    expect(found.reduce((n, f) => n + f.text.length, 0)).toBeLessThan(165_000);
    expect(found.at(-1)?.text).toMatch(/too much/);
  });
});
