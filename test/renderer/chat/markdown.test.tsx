import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { MarkdownContext } from '../../../src/renderer/chat/CodeBlock';
import { Markdown } from '../../../src/renderer/chat/Markdown';

const html = (text: string, done = true) =>
  renderToStaticMarkup(<Markdown text={text} done={done} />);

describe('THREATS 9: Markdown is never HTML', () => {
  it('marks an image of the project with its path, for the menu of the pointer', () => {
    expect(html('![a](img/p.png)')).toContain('data-path="img/p.png"');
  });

  it('never loads an image', () => {
    const out = html('![a](https://t.example/p.png) <img src="https://t.example/q.png">');
    expect(out).not.toContain('<img');
    expect(out).toContain('href="https://t.example/p.png"');
    expect(out).toContain('Image: a');
  });

  it('shows raw HTML as text', () => {
    const out = html(
      'a <script>x()</script> <b onclick="x()">b</b>\n\n<iframe src="https://e.example"></iframe>',
    );
    expect(out).not.toMatch(/<script|<b |<iframe/);
    expect(out).toContain('&lt;script&gt;');
    expect(out).toContain('&lt;iframe');
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '/local',
    '//e.example',
  ])('does not link to %s', (target) =>
    expect(html(`[x](${target}) <${target}>`)).not.toContain('href'),
  );

  it('links with the true target, and says so when the text names another', () => {
    const out = html('[bank.example](https://evil.example/a)');
    expect(out).toContain('title="https://evil.example/a"');
    expect(out).toContain('rel="noreferrer noopener nofollow"');
    expect(out).toContain('(evil.example)');
  });

  it('shows code with its language, tables, tasks and references', () => {
    const out = html(
      '```ts\nlet a;\n```\n\n| a |\n| - |\n| b |\n\n- [x] c\n\n[d][1]\n\n[1]: https://d.example\n',
    );
    expect(out).toContain('>ts<');
    expect(out).toContain('let a;');
    expect(out).toContain('<table dir="auto">');
    expect(out).toContain('aria-label="done"');
    expect(out).toContain('href="https://d.example/"');
  });

  it.each([
    ['See src/auth.ts:12.', ['src/auth.ts']],
    ['(in ./lib/a.py, and "b.rs:3")', ['./lib/a.py', 'b.rs']],
    ['**src/a.ts** and *lib/b.go*', ['src/a.ts', 'lib/b.go']],
    ['yes/no, e.g. node.js, 1/2, and/or, v1.2', []],
    ['[src/a.ts](https://a.example) https://b.example/c.html', []],
    [`${'a/'.repeat(5000)}b.ts`, []],
    ['`src/own.ts`', ['src/own.ts']],
  ])('links the files that prose names: %j', (text, paths) => {
    const out = renderToStaticMarkup(
      <MarkdownContext value={{ onOpenFile: () => {} }}>
        <Markdown text={text} done />
      </MarkdownContext>,
    );
    expect([...out.matchAll(/data-path="([^"]*)"/g)].map(([, path]) => path)).toEqual(paths);
  });

  it.each([
    ['[main.ts](src/main.ts)', ['src/main.ts'], 'main.ts'],
    [
      '[line 3](src/main.ts#L3) and [x](src/main.ts:2)',
      ['src/main.ts', 'src/main.ts'],
      'line 3 and x',
    ],
    ['[`src/a b.ts`](<src/a b.ts>)', ['src/a b.ts'], 'src/a b.ts'],
    ['[notes][1]\n\n[1]: docs/my%20notes.md', ['docs/my notes.md'], 'notes'],
    ['[README.md](../../.bashrc)', ['../../.bashrc'], 'README.md (../../.bashrc)'],
    ['[`src/a.ts`](https://a.example/src/a.ts)', [], 'src/a.ts'],
    ['[x](javascript:alert(1)) [y](//a.example/b.ts)', [], 'x y'],
  ])('links files that links name: %j', (text, paths, words) => {
    const out = renderToStaticMarkup(
      <MarkdownContext value={{ onOpenFile: () => {} }}>
        <Markdown text={text} done />
      </MarkdownContext>,
    );
    expect([...out.matchAll(/data-path="([^"]*)"/g)].map(([, path]) => path)).toEqual(paths);
    expect(out.match(/role="button"/g) ?? []).toHaveLength(paths.length);
    expect(out.replace(/<[^>]*>/g, '').trim()).toBe(words);
  });

  it('keeps every sign around a file that prose names', () =>
    expect(html('See (src/auth.ts:12), twice.').replace(/<[^>]*>/g, '')).toBe(
      'See (src/auth.ts:12), twice.',
    ));

  it.each([
    ['a **b** [c](https://c.example) `d`', 'www.e.example'],
    ['- one\n- two', '~~three~~'],
    ['1. src/a.ts:3\n2. $x$', 'mail@a.example'],
  ])('reads %j the same whether %j is in its block or not', (text, other) =>
    expect(html(`${text} ${other}`)).toContain(
      html(text).replace(/^<div class="prose"><div class="">|(?:<\/\w+>\s*)+$/g, ''),
    ),
  );

  it.each([
    ['| a |\n| - |\n| one<br>two<BR/>three |', 'one<br/>\ntwo<br/>\nthree'],
    ['one<br />\ntwo', 'one<br/>\n\ntwo'],
    ['one\n\n<br>\n\ntwo', '<p dir="auto">two</p>'],
    [
      '> [!NOTE]\n> Tides turn.',
      '<blockquote dir="auto" data-alert="note"><p data-alert-title="true">Note</p>\n<p>Tides turn.</p>',
    ],
    ['> [!WARNING]\n>\n> Low water', 'Warning</p>\n<p>Low water</p>'],
    ['> [!SHOUT]\n> x', '[!SHOUT]'],
    ['> see [!NOTE]\n> x', 'see [!NOTE]'],
    ['<details>\n<summary>More</summary>\n\nInside.\n\n</details>', '<strong>More</strong></p>'],
    ['<details open><summary> Of it </summary>', '<strong>Of it</strong>'],
    ['</details>', '<div class=""></div>'],
    ['Use the <details> tag.', 'Use the &lt;details&gt; tag.'],
    ['<details onclick="x()">', '&lt;details onclick'],
    ['<details><img src="https://a.example/p.png"></details>', '&lt;img src'],
    ['<summary><b onclick="x()">a</b></summary>', '&lt;summary&gt;&lt;b onclick'],
    ['`<br>` and <hr>', '<code>&lt;br&gt;</code> and &lt;hr&gt;'],
  ])('reads the tags that stand for lines and notes: %j', (text, expected) =>
    expect(html(text)).toContain(expected),
  );

  it('shows an unfinished listing as code', () => {
    const out = html('Look:\n\n```ts\nif (a < b', false);
    expect(out).toContain('<pre');
    expect(out).toContain('if (a &lt; b');
    expect(out).toContain('aria-busy="true"');
  });

  it('makes paths buttons only where files can be opened', () => {
    const opened = renderToStaticMarkup(
      <MarkdownContext value={{ onOpenFile: () => undefined }}>
        <Markdown text="`src/a.ts:3` and `npm test`" done />
      </MarkdownContext>,
    );
    expect(opened.match(/role="button"/g)).toHaveLength(1);
    expect(html('`src/a.ts:3`')).not.toContain('role="button"');
  });
});
