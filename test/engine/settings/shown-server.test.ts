import { describe, expect, it } from 'vitest';
import { shownAddress, withShownAddresses } from '../../../src/main/engine/settings/shown-server';

describe('an address is shown without secrets', () => {
  it.each([
    ['https://a.example/b.git', 'https://a.example/b.git'],
    ['https://me:key@a.example/b.git', 'https://…@a.example/b.git'],
    ['ssh://me:k@y@a.example/b', 'ssh://…@a.example/b'],
    ['https://a.example/b?token=key#main', 'https://a.example/b?token=…'],
    ['https://a.example/b?key', 'https://a.example/b?…'],
    ['https://a.example/b?v=1&key', 'https://a.example/b?v=…&…'],
    ['https://a.example/@scope/b', 'https://a.example/@scope/b'],
    ['git@a.example:b.git', '…@a.example:b.git'],
  ])('%s', (address, shown) => expect(shownAddress(address)).toBe(shown));

  it.each([
    ["at 'https://me:key@a.example/b.git/': no", "at 'https://…@a.example/b.git/': no"],
    ['ssh://me:k@y@a.example/b and https://key@c', 'ssh://…@a.example/b and https://…@c'],
    ['git@a.example:b.git', 'git@a.example:b.git'],
  ])('in a text: %s', (text, shown) => expect(withShownAddresses(text)).toBe(shown));
});
