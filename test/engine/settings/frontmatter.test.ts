import { describe, expect, it } from 'vitest';
import { readFrontmatter } from '../../../src/main/engine/settings/frontmatter';

const bytes = (...parts: readonly (string | number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));

const faulty = (count: number) =>
  Array.from({ length: count }, (_, at) => `a${at}: b: c\n`).join('');

describe('the fields at the head of a file', () => {
  it.each([
    ['a byte order mark', '\uFEFF---\nname: x\n---\nBody.'],
    ['line ends of Windows', '---\r\nname: x\r\n---\r\nBody.'],
    ['spaces behind the lines', '--- \nname: x\n---\t\nBody.'],
  ])('are read with %s', async (_, text) => {
    const { fields, body, fault, remarks } = await readFrontmatter(text);
    expect({ name: fields.get('name'), body, fault, remarks }).toEqual({
      ...{ name: 'x', body: 'Body.', fault: null, remarks: [] },
    });
  });

  it.each([
    ['', ''],
    ['Just text.', 'Just text.'],
    [
      '---\n\nA rule above a text, as Markdown has it.',
      '---\n\nA rule above a text, as Markdown has it.',
    ],
    ['---\n---\nBody.', 'Body.'],
    ['\n---\nNote: a line above it.', '---\nNote: a line above it.'],
    ['Title\n---\nname: x\n---\n', 'Title\n---\nname: x\n---'],
    ['\n---\nNote: a\n\nText.\n\n---\nB', '---\nNote: a\n\nText.\n\n---\nB'],
    ['--- Title ---\nNote: a\nText.\n---\nB', '--- Title ---\nNote: a\nText.\n---\nB'],
  ])('are none in %j', async (text, body) => {
    expect(await readFrontmatter(text)).toMatchObject({ body, fault: null, fields: new Map() });
  });

  it.each([
    [
      'an end that is missing',
      '---\nname: x\nBody.',
      'the line --- that ends the fields is missing',
      1,
    ],
    ['a blank line before them', '\n---\nname: x\n---\nBody.', 'a first line of three dashes', 1],
    ['a comment before them', '<!-- x -->\n---\nname: x\n---\nB', 'a first line of three', 1],
    ['a comment among them', '\n---\n# x\n\nname: x\n---\nB', 'a first line of three', 1],
    ['names in quotes', '\n---\n"name": x\n---\nB', 'a first line of three', 1],
    ['dots at their end', '\n---\nname: x\n...\nB', 'a first line of three', 1],
    ['a blank before them', ' ---\nname: x\n---\nBody.', 'a first line of three dashes', 1],
    ['words behind the dashes', '--- # x\nname: x\n---\nBody.', 'and nothing else', 1],
    ['more dashes', '----\nname: x\n----\nBody.', 'a first line of three dashes', 1],
    ['line ends of old systems', '---\rname: x\r---\rBody.', 'a first line of three', 1],
    ['lists in lists', `---\na: ${'['.repeat(5_000)}\n---\n`, 'it is nested too deeply', 2],
    ['marks of lists', `---\na:\n  ${'- '.repeat(5_000)}x\n---\n`, 'it is nested too deeply', 2],
    ['fields of 33 KB', `---\n# ${'x'.repeat(33 * 1024)}\nname: x\n---\n`, 'longer than 32 KB', 2],
    ['more lines to repair than 200', `---\n${faulty(201)}---\n`, '', 2],
    ['YAML that is none', '---\na: [b\n  c: d: e\n---\n', '', 2],
  ])('are refused for %s', async (_, text, words, line) => {
    const { fields, fault } = await readFrontmatter(text);
    expect(fields.size).toBe(0);
    expect(fault?.message).toContain(words);
    expect(fault?.line).toBeGreaterThanOrEqual(line);
  });

  it('are read with 200 lines that are no YAML to the letter', async () => {
    const { fields } = await readFrontmatter(`---\n${faulty(200)}---\n`);
    expect([fields.size, fields.get('a199')]).toEqual([200, 'b: c']);
  });

  it.each([
    ['a byte that is no UTF-8', bytes('---\nname: x\n---\nB', [0xff], 'dy'), 4],
    ['a zero', bytes('---\nname: x', [0], '\n---\n'), 2],
    ['all that is text', bytes('---\nname: é 👩‍👩‍👧\n---\n'), undefined],
  ])('say where %s stands', async (_, given, line) => {
    expect((await readFrontmatter(given)).remarks[0]?.line).toBe(line);
  });

  it.each([2, 3])('are read behind %d byte order marks, and that is told', async (count) => {
    const text = `${'\uFEFF'.repeat(count)}---\nname: x\n---\nBody.`;
    for (const given of [text, bytes(text)]) {
      const { fields, remarks } = await readFrontmatter(given);
      expect(fields.get('name')).toBe('x');
      expect(remarks).toMatchObject([
        { line: 1, message: expect.stringContaining('more than one') },
      ]);
    }
  });
});
