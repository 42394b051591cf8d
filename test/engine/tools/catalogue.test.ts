import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MAX_LISTED_TOOLS, toolListing } from '../../../src/main/engine/attachments/tool-listing';
import {
  createToolSearchTool,
  PENDING_WAIT_MS,
} from '../../../src/main/engine/tools/builtin/tool-search/tool-search';
import {
  createCatalogue,
  fixedSource,
  searchTools,
  type ToolSource,
} from '../../../src/main/engine/tools/catalogue';
import { ownNeeds } from '../../../src/main/engine/tools/needs';
import { type AnyTool, defineTool } from '../../../src/main/engine/tools/tool';
import type { Message } from '../../../src/shared/message';
import type { PermissionRule } from '../../../src/shared/permission';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

const tool = (name: string, description: string, deferred = true) =>
  defineTool<Record<string, never>, string>({
    name,
    description,
    input: z.strictObject({}),
    ...(deferred ? { deferred: true } : {}),
    needs: ownNeeds(name),
    title: () => ({ verb: name, target: '' }),
    // biome-ignore lint/correctness/useYield: one step
    execute: async function* () {
      return { ok: true, output: `${name} ran` };
    },
    toModel: (output) => [{ type: 'text', text: output }],
    view: () => ({ kind: 'generic', title: name, detail: '' }),
  });

const plain = tool('Plain', 'Always there.', false);
const issues = tool('mcp__hub__list_issues', 'Lists the issues of a repository.');
const mail = tool('mcp__post__send_mail', 'Sends a mail to someone about issues.');
const search = createToolSearchTool();

/** A source whose list and pending names a test changes. */
function changingSource(maySearch = false) {
  let tools: readonly AnyTool[] = [];
  let pending: readonly string[] = [];
  const listeners = new Set<() => void>();
  const source: ToolSource = {
    name: 'changing',
    list: () => tools,
    pending: () => pending,
    maySearch: () => maySearch,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    source,
    listeners,
    set: (next: readonly AnyTool[], waits: readonly string[] = []) => {
      tools = next;
      pending = waits;
      for (const listener of listeners) listener();
    },
  };
}

describe('the catalogue of an agent', () => {
  const deny = (text: string): PermissionRule => ({
    behavior: 'deny',
    text,
    source: 'userSettings',
  });
  const catalogueOf = (
    sources: readonly ToolSource[],
    found: string[] = [],
    rules: readonly PermissionRule[] = [],
    includes: (name: string) => boolean = () => true,
  ) =>
    createCatalogue({
      sources,
      includes,
      rules: () => rules,
      found: () => found,
      record: (names) => found.push(...names),
    });
  const all = fixedSource('all', [search, mail, plain, issues]);

  it.each([
    ['nothing found', [], [], ['Plain', 'ToolSearch']],
    [
      'found ones behind the others, in the order found',
      [mail.name, issues.name],
      [],
      ['Plain', 'ToolSearch', mail.name, issues.name],
    ],
    ['a found one that is gone', ['mcp__old__one'], [], ['Plain', 'ToolSearch']],
    ['a found one that was never deferred', ['Plain'], [], ['Plain', 'ToolSearch']],
    [
      'a denied server',
      [mail.name, issues.name],
      ['mcp__post'],
      ['Plain', 'ToolSearch', issues.name],
    ],
    ['a denied tool', [], ['Plain'], ['ToolSearch']],
    ['all that could be found denied', [], ['mcp__post', issues.name], ['Plain']],
  ])('offers: %s', (_, found, denied, expected) => {
    expect(catalogueOf([all], [...found], denied.map(deny)).names()).toEqual(expected);
  });

  it('leaves out what its definition leaves out, also for calls by name', () => {
    const own = catalogueOf([all], [], [], (name) => name !== issues.name);
    expect(own.deferred().map(({ name }) => name)).toEqual([mail.name]);
    expect(own.find(issues.name)).toBeNull();
    expect(own.find(mail.name)).toBe(mail);
    expect(own.search('issues', 5)).toEqual([mail]);
  });

  it('takes the tool of the first source that has one of a name', () => {
    const other = tool('Plain', 'A twin.', false);
    const own = catalogueOf([fixedSource('a', [plain]), fixedSource('b', [other])]);
    expect(own.find('Plain')).toBe(plain);
    expect(own.names()).toEqual(['Plain']);
  });

  it('records what was found once', () => {
    const found: string[] = [];
    const own = catalogueOf([all], found);
    own.search('issues', 5);
    own.search(`select:${mail.name}`, 5);
    expect(found).toEqual([issues.name, mail.name]);
  });

  it('offers the search while a source may bring tools, and follows its list', () => {
    const later = changingSource(true);
    const own = catalogueOf([fixedSource('own', [search, plain]), later.source], [mail.name]);
    expect(own.names()).toEqual(['Plain', 'ToolSearch']);
    later.set([mail]);
    expect(own.names()).toEqual(['Plain', 'ToolSearch', mail.name]);
    later.set([]);
    expect(own.names()).toEqual(['Plain', 'ToolSearch']);
  });

  it('tells of changes until its listener is taken away', () => {
    const later = changingSource();
    const own = catalogueOf([all, later.source]);
    let changes = 0;
    const unlisten = own.onChange(() => {
      changes++;
    });
    later.set([]);
    unlisten();
    later.set([]);
    expect(changes).toBe(1);
    expect(later.listeners.size).toBe(0);
  });
});

describe('the listing of deferred tools', () => {
  /** Tells step by step, as turns do, and gives what was said in each. */
  const tellAll = (...steps: readonly (readonly AnyTool[])[]) => {
    const history: Message[] = [];
    return steps.map((deferred, i) => {
      const said = toolListing(history, deferred);
      if (said !== null) history.push({ role: 'attachment', id: `att-${i}`, ...said });
      return said === null ? null : said.about;
    });
  };

  it('says all once, then only what came and went', () => {
    expect(tellAll([], [issues], [issues], [issues, mail], [mail], [issues, mail], [], [])).toEqual(
      [
        null,
        `+${issues.name}`,
        null,
        `+${mail.name}`,
        `-${issues.name}`,
        `+${issues.name}`,
        `-${issues.name} -${mail.name}`,
        null,
      ],
    );
  });

  it('stays bounded, and names how many are not listed', () => {
    const many = Array.from({ length: MAX_LISTED_TOOLS + 7 }, (_, i) => tool(`mcp__s__t${i}`, ''));
    const said = toolListing([], many);
    expect(said?.about?.split(' ')).toHaveLength(MAX_LISTED_TOOLS);
    expect(said?.text).toContain('7 more are not listed');
  });
});

let open: TestSession | null = null;
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
});

const body = (n: number) => open?.api.requests[n]?.body;
const offered = (n: number) => body(n)?.tools?.map(({ name }: { readonly name: string }) => name);
const messages = (n: number) => JSON.stringify(body(n)?.messages);

describe('deferred tools of a session', () => {
  it('are offered once they were found, and after a restart too, without having been called', async () => {
    open = await openTestSession(
      [
        reply([toolUse('ToolSearch', { query: 'issues', max_results: 1 })]),
        reply(['found it']),
        reply([toolUse('mcp__hub__list_issues', {})]),
        reply(['done']),
      ],
      { tools: [plain, issues, mail, search] },
    );
    await open.run('what is open?');
    expect(offered(0)).toEqual(['Plain', 'ToolSearch']);
    expect(messages(0)).toContain(
      'once ToolSearch has found them: mcp__hub__list_issues; mcp__post__send_mail.',
    );
    expect(offered(1)).toEqual(['Plain', 'ToolSearch', 'mcp__hub__list_issues']);
    expect(messages(1)).toContain('- mcp__hub__list_issues: Lists the issues');
    await open.reopen();
    await open.run('and now?');
    expect(offered(2)).toEqual(['Plain', 'ToolSearch', 'mcp__hub__list_issues']);
    expect(messages(3)).toContain('list_issues ran');
    expect(messages(3).match(/once ToolSearch has found them/g)).toHaveLength(1);
  });

  it('cost nothing where there are none: ToolSearch is not offered either', async () => {
    open = await openTestSession([reply(['hi'])], { tools: [plain, search] });
    await open.run('hi');
    expect(offered(0)).toEqual(['Plain']);
    expect(messages(0)).not.toContain('ToolSearch');
  });

  it('of a source that changes its list are told as what came and went; what is cached stays', async () => {
    const server = changingSource(true);
    open = await openTestSession(
      [reply(['one']), reply(['two']), reply(['three']), reply(['four'])],
      { tools: [plain, search], toolSources: (own) => [...own, server.source] },
    );
    await open.run('first');
    server.set([issues, mail]);
    await open.run('second');
    server.set([mail]);
    await open.run('third');
    await open.reopen();
    await open.run('fourth');
    for (const n of [1, 2, 3]) {
      expect(body(n)?.tools).toEqual(body(0)?.tools);
      expect(body(n)?.system).toEqual(body(0)?.system);
    }
    expect(messages(0)).not.toContain('mcp__');
    expect(messages(1)).toContain('found them: mcp__hub__list_issues; mcp__post__send_mail.');
    expect(messages(2)).toContain('no longer there: mcp__hub__list_issues.');
    // What was sent before is sent again, byte for byte, and after a restart nothing is told twice.
    expect(textsOf(3).slice(0, textsOf(2).length)).toEqual(textsOf(2));
    expect(messages(3).match(/mcp__post__send_mail/g)).toHaveLength(1);
  });

  it('wait for a source that still brings them, and say what has not come', async () => {
    const server = changingSource(true);
    server.set([], ['hub']);
    open = await openTestSession(
      [
        reply([toolUse('ToolSearch', { query: 'issues' })]),
        reply(['ok']),
        reply([toolUse('ToolSearch', { query: 'weather' })]),
        reply(['ok']),
      ],
      { tools: [plain, search], toolSources: (own) => [...own, server.source] },
    );
    const { clock } = open;
    const first = open.run('what is open?');
    await expect.poll(() => server.listeners.size).toBe(1);
    server.set([issues], ['slow']);
    server.set([issues], []);
    await first;
    expect(messages(1)).toContain('- mcp__hub__list_issues: ');
    server.set([issues], ['slow']);
    const second = open.run('and the weather?');
    await expect.poll(() => server.listeners.size).toBe(1);
    await clock.advance(PENDING_WAIT_MS);
    await second;
    expect(messages(3)).toContain('Still connecting: slow.');
    expect(server.listeners.size).toBe(0);
  });
});

/** The texts of a request's messages, without the marks of the cache. */
const textsOf = (n: number): readonly string[] =>
  (body(n)?.messages ?? []).map(({ content }) =>
    JSON.stringify(content, (key, value) => (key === 'cache_control' ? undefined : value)),
  );

describe('looking for tools', () => {
  const cards = { ...tool('mcp__post__stamp', 'Stamps it.'), searchHint: 'Postcards, letters' };
  const all = [issues, mail, cards];
  const names = (query: string, limit = 5) =>
    searchTools(all, query, limit).map(({ name }) => name);

  it.each([
    ['issues', ['mcp__hub__list_issues', 'mcp__post__send_mail']],
    ['send MAIL', ['mcp__post__send_mail']],
    ['postcard', ['mcp__post__stamp']],
    ['select:mcp__post__send_mail, nope', ['mcp__post__send_mail']],
    ['select:mail', []],
    ['weather', []],
    ['!?', []],
  ])('%s', (query, expected) => {
    expect(names(query)).toEqual(expected);
  });

  it('keeps to its limit', () => {
    expect(names('issues', 1)).toHaveLength(1);
  });
});
