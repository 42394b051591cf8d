import { describe, expect, it } from 'vitest';
import type { MarketplaceSource } from '../../../src/main/engine/settings/plugins/marketplace';
import { marketplaceRefusal } from '../../../src/main/engine/settings/plugins/marketplace-policy';
import { readSettings } from '../../../src/main/engine/settings/read';

const FILE = '/etc/app/managed-settings.json';
const git = (url: string, ref?: string): MarketplaceSource => ({
  kind: 'git',
  url,
  ...(ref === undefined ? {} : { ref }),
});
const folder = (path: string): MarketplaceSource => ({ kind: 'folder', path });
const refusal = (source: MarketplaceSource, content: object) =>
  marketplaceRefusal(source, [readSettings(JSON.stringify(content), 'managed', FILE)], '/home/a');

const GITHUB = { source: 'github', repo: 'Team/Plugins' };
const COMMIT = 'a'.repeat(40);

describe('blockedMarketplaces', () => {
  it.each([
    ['owner/repo', [GITHUB], git('https://github.com/team/plugins.git'), true],
    ['by ssh', [GITHUB], git('git@github.com:team/plugins'), true],
    ['by an address of ssh', [GITHUB], git('ssh://git@GITHUB.com/team/plugins.git/'), true],
    ['with a user', [GITHUB], git('https://u:p@github.com/team/plugins'), true],
    ['another repository', [GITHUB], git('https://github.com/team/other.git'), false],
    ['all of an owner', [{ source: 'github', repo: 'team/*' }], git('git@github.com:team/x'), true],
    ['another owner', [{ source: 'github', repo: 'team/*' }], git('git@github.com:teams/x'), false],
    ['any branch', [GITHUB], git('https://github.com/team/plugins', 'v2'), true],
    ['its branch', [{ ...GITHUB, ref: 'v1' }], git('git@github.com:team/plugins', 'v1'), true],
    ['not its branch', [{ ...GITHUB, ref: 'v1' }], git('git@github.com:team/plugins', 'v2'), false],
    ['a commit', [{ ...GITHUB, ref: 'v1' }], git('git@github.com:team/plugins', COMMIT), true],
    ['git', [{ source: 'git', url: 'https://g.example/p.git' }], git('ssh://g.example/p'), true],
    ['case', [{ source: 'git', url: 'https://g.example/P' }], git('https://g.example/p'), false],
    ['a folder', [{ source: 'directory', path: '/srv/p' }], folder('/srv/p'), true],
    ['beside it', [{ source: 'directory', path: './p' }], folder('/etc/app/p'), true],
    [
      'hosts',
      [{ source: 'hostPattern', hostPattern: '^evil\\.' }],
      git('git@evil.example:p'),
      true,
    ],
    ['no expression', [{ source: 'hostPattern', hostPattern: '(' }], git('git@g.example:p'), true],
    ['paths', [{ source: 'pathPattern', pathPattern: '^/srv/' }], folder('/srv/q'), true],
    ['a list that cannot be read', ['github'], git('git@g.example:p'), true],
    ['none', [], git('git@g.example:p'), false],
  ])('%s', (_, blockedMarketplaces, source, refused) => {
    const why = refusal(source, { blockedMarketplaces });
    expect(why).toEqual(refused ? expect.stringContaining('blockedMarketplaces of the') : null);
  });
});

describe('strictKnownMarketplaces', () => {
  it.each([
    ['owner/repo', [GITHUB], git('https://github.com/Team/Plugins.git'), true],
    ['an owner', [{ source: 'github', repo: 'team/*' }], git('https://github.com/team/x'), true],
    ['by an open way', [GITHUB], git('http://github.com/team/plugins'), false],
    ['another branch', [GITHUB], git('https://github.com/team/plugins', 'v2'), false],
    ['its branch', [{ ...GITHUB, ref: 'v1' }], git('git@github.com:team/plugins', 'v1'), true],
    ['a folder', [{ source: 'directory', path: '~/p' }], folder('/home/a/p'), true],
    ['hosts', [{ source: 'hostPattern', hostPattern: '^g\\.' }], git('git@g.example:p'), true],
    ['no expression', [{ source: 'hostPattern', hostPattern: '(' }], git('git@g.example:p'), false],
    ['another', [GITHUB], folder('/srv/p'), false],
    ['a list that cannot be read', 'github', git('https://github.com/team/plugins'), false],
    ['none', [], folder('/srv/p'), false],
  ])('%s', (_, strictKnownMarketplaces, source, allowed) => {
    const why = refusal(source, { strictKnownMarketplaces });
    expect(why).toEqual(allowed ? null : expect.stringContaining('strictKnownMarketplaces of the'));
  });
});

it('lets everything be added where nobody says anything', () => {
  expect(marketplaceRefusal(folder('/srv/p'), [], '/home/a')).toBeNull();
});

it('has another name for the list of what may be, which counts where that one is not', () => {
  const other = git('https://github.com/other/x');
  expect(refusal(other, { allowedMarketplaces: [GITHUB] })).toMatch(/no marketplace to use/);
  expect(
    refusal(git('https://github.com/Team/Plugins'), { allowedMarketplaces: [GITHUB] }),
  ).toBeNull();
  const both = { allowedMarketplaces: [], strictKnownMarketplaces: [GITHUB] };
  expect(refusal(git('https://github.com/Team/Plugins'), both)).toBeNull();
});
