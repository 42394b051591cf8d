import { expect, test } from 'vitest';
import { shownTarget } from '../../../src/renderer/ui/link-target';

test.each([
  ['https://a.example/x?y#z', 'https://a.example/x?y#z'],
  ['HTTPS://A.example:443/', 'https://a.example/'],
  ['https://\u0430pple.example/', 'https://xn--pple-43d.example/'],
  ['https://a.example/\u202Egnp.exe', 'https://a.example/%E2%80%AEgnp.exe'],
  ['https://bank.example@evil.example/a@b', 'https://…@evil.example/a@b'],
  [
    `https://${'bank.example/'.replace('/', '-').repeat(40)}:x@evil.example:8080/`,
    'https://…@evil.example:8080/',
  ],
  ['mailto:a@b.example', 'mailto:a@b.example'],
  ['src/auth.ts:12:4', 'src/auth.ts:12:4'],
  ['http://', 'http://'],
])('the link %s leads to %s', (target, shown) => expect(shownTarget(target)).toBe(shown));
