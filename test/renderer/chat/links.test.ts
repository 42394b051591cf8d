import { describe, expect, it } from 'vitest';
import { fileMention, fileTarget } from '../../../src/renderer/chat/file-mentions';
import { misleadingHost, safeHref } from '../../../src/renderer/chat/Links';
import { imagePath } from '../../../src/renderer/chat/ProjectImage';

describe('THREATS 9: safeHref', () => {
  it.each([
    ['https://a.example/x', 'https://a.example/x'],
    ['HTTP://A.example', 'http://a.example/'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
    ['javascript:alert(1)', null],
    [' javascript:alert(1)', null],
    ['java\tscript:alert(1)', null],
    ['data:text/html,x', null],
    ['file:///etc/passwd', null],
    ['vbscript:x', null],
    ['lathe://open', null],
    ['/relative', null],
    ['//evil.example', null],
    ['', null],
    ['https://', null],
  ])('%j', (href, expected) => expect(safeHref(href)).toBe(expected));
});

describe('THREATS 9: images', () => {
  it.each([
    ['docs/plan.png', 'docs/plan.png'],
    ['./a%20b.png?x#y', './a b.png'],
    ['../a.png', '../a.png'],
    ['/abs/a.png', '/abs/a.png'],
    ['%zz.png', '%zz.png'],
    ['https://a.example/x.png', null],
    ['//a.example/x.png', null],
    ['\\\\a.example\\x.png', null],
    ['data:image/png;base64,x', null],
    ['file:///x.png', null],
    ['', null],
  ])('%j is looked for at %j', (url, path) => expect(imagePath(url)).toBe(path));
});

describe('THREATS 9: misleadingHost', () => {
  it.each([
    ['the docs', 'https://a.example', null],
    ['a.example', 'https://a.example/x', null],
    ['https://www.a.example/y', 'https://a.example/', null],
    ['A.EXAMPLE', 'https://a.example', null],
    ['github.com/shop', 'https://collect.example/login', 'collect.example'],
    ['https://bank.example', 'https://bank.example.evil.example/', 'bank.example.evil.example'],
    ['bücher.example', 'https://xn--bcher-kva.example/', null],
    ['me@a.example', 'mailto:me@a.example', null],
    ['see a.example: now', 'https://b.example', 'b.example'],
  ])('%s → %s', (text, href, expected) => expect(misleadingHost(text, href)).toBe(expected));
});

describe('fileMention', () => {
  it.each([
    ['src/auth.ts', { path: 'src/auth.ts' }],
    ['src/auth.ts:12', { path: 'src/auth.ts', line: 12 }],
    ['src/auth.ts:12:4', { path: 'src/auth.ts', line: 12 }],
    ['src/auth.ts:2-3', { path: 'src/auth.ts', line: 2 }],
    ['src/auth.ts:2:5-3:7', { path: 'src/auth.ts', line: 2 }],
    ['src/auth.ts#L2-L3', { path: 'src/auth.ts', line: 2 }],
    ['./a.py', { path: './a.py' }],
    ['src/größe.ts:3', { path: 'src/größe.ts', line: 3 }],
    ['docs/日本語/メモ.md', { path: 'docs/日本語/メモ.md' }],
    ['a.été', null],
    ['/etc/x.conf', { path: '/etc/x.conf' }],
    ['C:\\a\\b.txt', { path: 'C:\\a\\b.txt' }],
    ['package.json', { path: 'package.json' }],
    ['foo.bar', null],
    ['npm test', null],
    ['priceOf()', null],
    ['https://a.example/x.ts', null],
    ['console.log', null],
    ['--flag', null],
  ])('%s', (code, expected) => expect(fileMention(code)).toEqual(expected));
});

describe('THREATS 9: fileTarget', () => {
  it.each([
    ['src/main.ts', { path: 'src/main.ts' }],
    ['src/main.ts#L3', { path: 'src/main.ts', line: 3 }],
    ['src/main.ts?plain=1#L3-L9', { path: 'src/main.ts', line: 3 }],
    ['src/main.ts:2', { path: 'src/main.ts', line: 2 }],
    ['src/main.ts:2:5', { path: 'src/main.ts', line: 2 }],
    ['main.ts:2-3', { path: 'main.ts', line: 2 }],
    ['./my%20notes/caf%C3%A9.md#top', { path: './my notes/café.md' }],
    ['../LICENSE', { path: '../LICENSE' }],
    ['a%23b.md', { path: 'a#b.md' }],
    ['%zz.md', { path: '%zz.md' }],
    ['/srv/web/a.ts:7', { path: '/srv/web/a.ts', line: 7 }],
    ['C:%5Cweb%5Ca.ts:7', { path: 'C:\\web\\a.ts', line: 7 }],
    ['docs/', null],
    ['', null],
    ['#L3', null],
    ['?a', null],
    ['//a.example/x.ts', null],
    ['\\\\a.example\\x.ts', null],
    ['%5C%5Ca.example%5Cx.ts', null],
    ['/%5Ca.example/x.ts', null],
    ['a%0Ab.ts', null],
    ['a%00.ts', null],
    ['docs/%E2%80%AEdm.terces', null],
    ['localhost:3000', null],
    ['https://a.example/x.ts', null],
    ['javascript:alert(1)', null],
    ['java%73cript:alert(1)', null],
    ['file:///etc/passwd', null],
    ['data:text/html,x.ts', null],
    ['lathe://open/x.ts', null],
  ])('%j', (target, expected) => expect(fileTarget(target)).toEqual(expected));
});
