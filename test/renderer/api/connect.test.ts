import { expect, test } from 'vitest';
import {
  dialWithTicket,
  redeemTicket,
  takeTicket,
  ticketOf,
} from '../../../src/renderer/api/connect';
import { type Dial, NOT_ADMITTED } from '../../../src/renderer/api/transport';
import { err, fault } from '../../../src/shared/result';

const signal = new AbortController().signal;

test.each([
  ['#ticket=abc', 'abc'],
  ['#ticket=a%2Bb', 'a+b'],
  ['#ticket=', null],
  ['', null],
  ['#other=1', null],
])('the ticket in %j is %j', (hash, expected) => expect(ticketOf(hash)).toBe(expected));

test('taking the ticket removes it from the address and keeps the rest', () => {
  const urls: unknown[] = [];
  const page = {
    location: { hash: '#ticket=abc', pathname: '/', search: '?x=1' },
    history: { replaceState: (_state: unknown, _title: string, url?: unknown) => urls.push(url) },
  };
  expect(takeTicket(page as unknown as Parameters<typeof takeTicket>[0])).toBe('abc');
  expect(urls).toEqual(['/?x=1']);
});

/** A fetch that answers by script; `null` is a network failure. */
function scripted(...statuses: (number | null)[]) {
  const sent: { url: string; body: unknown }[] = [];
  const send = async (url: unknown, init?: RequestInit) => {
    sent.push({ url: String(url), body: JSON.parse(String(init?.body)) });
    const status = statuses.shift() ?? null;
    if (status === null) throw new TypeError('network');
    return new Response(null, { status });
  };
  return { sent, web: { origin: 'http://127.0.0.1:1', fetch: send as typeof fetch } };
}

test('the ticket travels in the body, never in a URL', async () => {
  const { sent, web } = scripted(204);
  await redeemTicket('abc', web, signal);
  expect(sent).toEqual([{ url: 'http://127.0.0.1:1/session', body: { ticket: 'abc' } }]);
});

test('a spent ticket is told apart from a host that is away', async () => {
  const spent = await redeemTicket('abc', scripted(403).web, signal);
  const away = await redeemTicket('abc', scripted(null).web, signal);
  expect([spent, away].map((r) => r.ok || r.error.code)).toEqual([NOT_ADMITTED, 'unreachable']);
});

const refusing: Dial = async () => err(fault(NOT_ADMITTED, 'no cookie'));

test('a network failure keeps the ticket for the next try; success spends it', async () => {
  const { sent, web } = scripted(null, 204);
  const dial = dialWithTicket('abc', web, refusing);
  for (let i = 0; i < 3; i += 1) await dial(signal);
  expect(sent.length).toBe(2);
});

test('a refused ticket is not tried twice, and its own reason is what the user reads', async () => {
  const { sent, web } = scripted(403);
  const dial = dialWithTicket('abc', web, refusing);
  const first = await dial(signal);
  await dial(signal);
  expect(sent.length).toBe(1);
  expect(first).toMatchObject({ error: { message: expect.stringContaining('has been used') } });
});
