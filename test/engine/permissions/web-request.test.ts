import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import type { DecisionContext } from '../../../src/main/engine/permissions/request';
import {
  isPrivateAddress,
  isPrivateHost,
  namesHost,
  webRequest,
} from '../../../src/main/engine/permissions/web-request';
import type { PermissionMode, PermissionRule } from '../../../src/shared/permission';

const context: DecisionContext = {
  cwd: '/p',
  home: '/h',
  project: '/p',
  workingDirectories: ['/p'],
  caseInsensitive: false,
};
const rule = (behavior: PermissionRule['behavior'], text: string): PermissionRule => ({
  behavior,
  text,
  source: 'userSettings',
});
const judge = (url: string, rules: PermissionRule[], mode: PermissionMode = 'default') =>
  decide(webRequest('WebFetch', new URL(url)), rules, mode, context);

describe('THREATS 19: addresses', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.255.0.9', true],
    ['0.0.0.0', true],
    ['10.1.2.3', true],
    ['100.64.0.1', true],
    ['100.128.0.1', false],
    ['169.254.169.254', true],
    ['172.15.0.1', false],
    ['172.16.0.1', true],
    ['172.31.255.255', true],
    ['172.32.0.1', false],
    ['192.168.1.1', true],
    ['192.169.1.1', false],
    ['198.19.0.1', true],
    ['224.0.0.1', true],
    ['255.255.255.255', true],
    ['8.8.8.8', false],
    ['::', true],
    ['::1', true],
    ['fe80::1', true],
    ['fe80::1%eth0', true],
    ['fc00::1', true],
    ['fd12:3456::1', true],
    ['ff02::1', true],
    ['::ffff:127.0.0.1', true],
    ['::ffff:7f00:1', true],
    ['::ffff:8.8.8.8', false],
    ['::127.0.0.1', true],
    ['64:ff9b::10.0.0.1', true],
    ['64:ff9b::8.8.8.8', false],
    ['2002:7f00:1::', true],
    ['2002:808:808::', false],
    ['2001:db8::1', true],
    ['2001::1', true],
    ['2606:4700::1111', false],
    ['2606:4700:0:0:0:0:0:1111', false],
    ['1:2:3', true],
    ['::1::', true],
    ['not an address', true],
    ['', true],
  ])('%s private: %s', (address, expected) => {
    expect(isPrivateAddress(address)).toBe(expected);
  });

  it.each([
    ['http://localhost:3000/', true],
    ['http://LOCALHOST/', true],
    ['http://localhost./', true],
    ['http://app.localhost/', true],
    ['http://printer.local/', true],
    ['http://metadata.google.internal/', true],
    ['http://intranet/', true],
    ['http://2130706433/', true],
    ['http://0x7f.1/', true],
    ['http://0177.0.0.1/', true],
    ['http://[::1]:80/', true],
    ['http://[::ffff:10.0.0.1]/', true],
    ['https://example.com/', false],
    ['https://8.8.8.8/', false],
    ['https://localhost.example.com/', false],
    ['https://127.0.0.1.example.com/', false],
  ])('%s is private by its name: %s', (url, expected) => {
    expect(isPrivateHost(new URL(url).hostname)).toBe(expected);
  });
});

describe('THREATS 19: who may be fetched', () => {
  it('asks without a rule, and offers the domain', () => {
    expect(judge('https://x.io/a?b', [])).toMatchObject({
      behavior: 'ask',
      suggestions: [{ rule: 'WebFetch(domain:x.io)' }],
    });
  });

  it('goes by the parsed host, not by how the address looks', () => {
    const rules = [rule('allow', 'WebFetch(domain:x.io)')];
    expect(judge('https://x.io:8443/p', rules).behavior).toBe('allow');
    expect(judge('https://X.IO./p', rules).behavior).toBe('allow');
    expect(judge('https://x.io.evil.example/', rules).behavior).toBe('ask');
    expect(judge('https://evil.example/x.io', rules).behavior).toBe('ask');
    expect(judge('https://x.io@evil.example/', rules).behavior).toBe('ask');
    expect(judge('https://a.x.io/', rules).behavior).toBe('ask');
  });

  it('lets only a rule for exactly this host allow a private one', () => {
    const url = 'http://127.0.0.1:3000/';
    expect(judge(url, [rule('allow', 'WebFetch')]).behavior).toBe('ask');
    expect(judge(url, [rule('allow', 'WebFetch(domain:*)')]).behavior).toBe('ask');
    expect(judge(url, [rule('allow', 'WebFetch(domain:127.0.0.1)')]).behavior).toBe('allow');
    expect(judge(url, [], 'bypassPermissions').behavior).toBe('ask');
    expect(judge('http://169.254.169.254/', [], 'dontAsk').behavior).toBe('deny');
    expect(judge('https://x.io/', [], 'bypassPermissions').behavior).toBe('allow');
    expect(judge(url, [rule('deny', 'WebFetch(domain:127.*)')], 'bypassPermissions').behavior).toBe(
      'deny',
    );
  });

  it('honours rules while planning: reading changes nothing here', () => {
    const rules = [rule('allow', 'WebFetch(domain:x.io)')];
    expect(judge('https://x.io/', rules, 'plan').behavior).toBe('allow');
    expect(judge('https://y.io/', rules, 'plan').behavior).toBe('ask');
  });

  it('knows which hosts somebody wrote down', () => {
    const rules = [rule('allow', 'WebFetch(domain:Wiki.corp.example)'), rule('allow', 'WebFetch')];
    expect(namesHost(rules, 'wiki.corp.example')).toBe(true);
    expect(namesHost(rules, 'other.corp.example')).toBe(false);
    expect(namesHost([rule('deny', 'WebFetch(domain:a.b)')], 'a.b')).toBe(false);
  });
});
