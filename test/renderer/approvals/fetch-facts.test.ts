import { describe, expect, it } from 'vitest';
import { fetchFacts } from '../../../src/renderer/approvals/SubjectView';

/** The part of the address that is emphasised. */
const emphasised = (address: string): string | null => {
  const { range } = fetchFacts(address);
  return range === null ? null : address.slice(range.start, range.end);
};

describe('fetchFacts', () => {
  it.each([
    ['https://example.com/a?b#c', 'example.com', 'example.com'],
    ['https://example.com:8443/', 'example.com:8443', 'example.com:8443'],
    ['https://good.com@evil.example/x', 'evil.example', 'evil.example'],
    ['https://good.com\\@evil.example/x', 'good.com', 'good.com'],
    ['https://EXAMPLE.com', 'example.com', 'EXAMPLE.com'],
    ['https://ex\u0430mple.com/', 'xn--exmple-4nf.com', 'ex\u0430mple.com'],
    ['https://[::1]:80/', '[::1]:80', '[::1]:80'],
    ['no address', 'not an address', null],
  ])('%s', (address, host, part) => {
    expect(fetchFacts(address).host).toBe(host);
    expect(emphasised(address)).toBe(part);
  });

  it.each([
    ['https://example.com/', []],
    ['http://example.com/', ['not encrypted']],
    ['https://good.com@evil.example/', ['user name']],
    ['https://ex\u0430mple.com/', ['really xn--exmple-4nf.com']],
    ['https://xn--exmple-4nf.com/', ['encoded international name']],
    ['https://127.0.0.1/', ['this machine']],
    ['https://192.168.1.4/admin', ['own network']],
    ['https://172.20.0.1/', ['own network']],
    ['https://172.40.0.1/', []],
  ])('cautions of %s', (address, cautions) => {
    const said = fetchFacts(address).cautions;
    expect(said).toHaveLength(cautions.length);
    for (const [at, words] of cautions.entries()) expect(said[at]).toContain(words);
  });
});
