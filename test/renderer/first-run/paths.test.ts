import { expect, test } from 'vitest';
import {
  baseUrlProblem,
  crumbsOf,
  isUnencrypted,
  typedPath,
} from '../../../src/renderer/first-run/paths';

test.each([
  ['/home/ada', ['/', '/home', '/home/ada']],
  ['/', ['/']],
  ['/a b/ü', ['/', '/a b', '/a b/ü']],
  ['C:\\Users\\Ada', ['C:\\', 'C:\\Users', 'C:\\Users\\Ada']],
])('the crumbs of %s', (path, paths) => {
  expect(crumbsOf(path).map((crumb) => crumb.path)).toEqual(paths);
});

test.each([
  ['~', '/home/ada'],
  ['~/work', '/home/ada/work'],
  ['~other', '~other'],
  ['  /srv/ ', '/srv'],
  ['/', '/'],
  ['C:\\', 'C:\\'],
  ['', ''],
])('%j means %j', (text, path) => expect(typedPath(text, '/home/ada')).toBe(path));

test.each([
  ['work', '/srv/ada', '/srv/ada/work'],
  ['./work/', '/srv/ada', '/srv/ada/work'],
  ['../bob/x', '/srv/ada', '/srv/bob/x'],
  ['../../../..', '/srv/ada', '/'],
  ['work', '/', '/work'],
  ['..\\x', 'C:\\Users', 'C:\\x'],
  ['/etc', '/srv/ada', '/etc'],
  ['~/x', '/srv/ada', '/home/ada/x'],
  ['', '/srv/ada', ''],
])('%j typed in %s means %j', (text, base, path) =>
  expect(typedPath(text, '/home/ada', base)).toBe(path),
);

test.each([
  ['', true],
  ['https://gateway.example.com', true],
  ['http://127.0.0.1:8080/v1', true],
  ['gateway.example.com', false],
  ['ftp://gateway.example.com', false],
  ['https://me:secret@gateway.example.com', false],
  ['javascript:alert(1)', false],
])('%j as an endpoint is fine: %s', (text, fine) => {
  expect(baseUrlProblem(text) === null).toBe(fine);
});

test.each([
  ['http://gateway.example.com', true],
  ['https://gateway.example.com', false],
  ['http://127.0.0.1:1', false],
  ['http://localhost', false],
  ['http://127.0.0.1.evil.example', true],
  ['nonsense', false],
])('a key sent to %s would travel in the open: %s', (text, open) => {
  expect(isUnencrypted(text)).toBe(open);
});
