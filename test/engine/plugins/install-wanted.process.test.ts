import { execFileSync } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createRepositoryFetch } from '../../../src/main/engine/plugins/fetch-repository';
import { createNodeFiles } from '../../../src/main/node/files';
import { createNodePrograms } from '../../../src/main/node/programs';
import { failed, ID, installed, installing } from './installing';
import { putAll } from './support';

const fetchByGit = createRepositoryFetch(createNodeFiles(), createNodePrograms());
let fetches: string[];
const { home, newStore, written, install, counted, kept } = installing((source, to, signal) => {
  fetches.push(source.url);
  return fetchByGit(source, to, signal);
});
beforeEach(() => {
  fetches = [];
});

/** Makes a repository of a folder and returns its address. */
function repository(folder: string): string {
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@b', ...words]);
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'begin');
  return `file://${folder}`;
}

/** Writes a marketplace in a repository with two plugins of its own and one with a repository, and turns all on. */
function writeRepositories(): { readonly marketplace: string; readonly own: string } {
  putAll(join(home(), 'apart'), { '.claude-plugin/plugin.json': { name: 'apart' } });
  const own = repository(join(home(), 'apart'));
  putAll(join(home(), 'town'), {
    '.claude-plugin/marketplace.json': {
      name: 'town',
      plugins: [
        { name: 'house', source: './plugins/house' },
        { name: 'shed', source: './plugins/shed' },
        { name: 'apart', source: { source: 'git', url: own } },
      ],
    },
    'plugins/shed/.claude-plugin/plugin.json': { name: 'shed' },
  });
  const marketplace = repository(join(home(), 'town'));
  written({
    enabledPlugins: { [ID]: true, 'shed@town': true, 'apart@town': true },
    extraKnownMarketplaces: { town: { source: { source: 'git', url: marketplace } } },
  });
  return { marketplace, own };
}

test('a repository is fetched once for all plugins of it', async () => {
  const { marketplace, own } = writeRepositories();
  const names = ['apart@town', ID, 'shed@town', 'town'];
  const reports = await install();
  expect(reports.map((one) => ('name' in one ? one.name : '')).toSorted()).toEqual(names);
  expect(reports[0]).toEqual(installed('town'));
  expect(fetches).toEqual([marketplace, own]);
  expect((await counted()).toSorted()).toEqual(['apart', 'house', 'shed']);
});

test('two runs at once install each plugin once', async () => {
  writeRepositories();
  const reports = (await Promise.all([install(), install(), install()])).flat();
  expect(reports.map(({ status }) => status)).toEqual(Array(4).fill('installed'));
  expect(fetches).toHaveLength(2);
  expect(kept('installed')).toHaveLength(3);
  expect(await counted()).toHaveLength(3);
});

test('a server that never answers is waited for until the end, and nothing of it stays', async () => {
  const over = new AbortController();
  const asked = Promise.withResolvers<Socket>();
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('close', () => closed.resolve());
    socket.once('data', () => asked.resolve(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const slow = { source: { source: 'git', url: `http://127.0.0.1:${port}/slow` } };
  const town = { source: { source: 'directory', path: join(home(), 'town') } };
  written({
    enabledPlugins: { 'a@slow': true, [ID]: true },
    extraKnownMarketplaces: { slow, town },
  });
  const installs = install({}, { signal: over.signal });
  await asked.promise;
  // The other marketplace does not wait for this one.
  await expect.poll(() => kept('installed')).toHaveLength(1);
  over.abort();
  const reports = await installs;
  expect(reports).toHaveLength(4);
  for (const one of [
    installed('town'),
    installed(ID),
    failed('slow', 'The run was ended.'),
    failed('a@slow', 'The run was ended.'),
  ])
    expect(reports).toContainEqual(one);
  // What git started has ended, too.
  await closed.promise;
  expect(kept('marketplaces')).toEqual([]);
  server.close();
});

test('secrets of addresses are in no error of git', async () => {
  const url = 'http://me:hidden@127.0.0.1:9/town.git?token=hidden';
  written({
    enabledPlugins: { [ID]: true },
    extraKnownMarketplaces: { town: { source: { source: 'git', url } } },
  });
  const reports = await install();
  expect(reports[0]).toEqual(
    failed('town', 'http://…@127.0.0.1:9/town.git?token=… could not be fetched'),
  );
  expect(JSON.stringify(reports)).not.toContain('hidden');
  const added = await newStore().addMarketplace({ kind: 'git', url });
  expect(added.ok).toBe(false);
  expect(JSON.stringify(added)).not.toContain('hidden');
});
