import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { curlObstacle, sandboxObstacle } from '../../support/sandbox';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import type { Reply } from '../../support/scripted-api-replies';
import { CA_FILE, startSeeingServer } from '../../support/seeing-server';
import { lathe, makeWorkspace, nothingLeft, type Workspace } from './lathe';

const obstacle = await sandboxObstacle();
const noCurl = await curlObstacle();

let workspace: Workspace;
let api: ScriptedApi | null = null;
const setUp = async () => {
  workspace = await makeWorkspace();
};
const tearDown = async () => {
  await api?.close();
  await workspace.remove();
};

const use = (input: unknown): Reply => ({
  kind: 'message',
  blocks: [{ kind: 'tool_use', name: 'Bash', input }],
});

/** Runs the commands one after the other, unattended, with these settings of the user; gives each result's text. */
async function run(
  sandbox: unknown,
  inputs: readonly unknown[],
  rest: object = {},
  more: Readonly<Record<string, string>> = {},
) {
  await mkdir(join(workspace.home, '.claude'), { recursive: true });
  await writeFile(
    join(workspace.home, '.claude/settings.json'),
    JSON.stringify({ sandbox, ...rest }),
  );
  api = await startScriptedApi([
    ...inputs.map(use),
    { kind: 'message', blocks: [{ kind: 'text', text: 'Done.' }] },
  ]);
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'k', ...more };
  const debugFile = join(workspace.home, 'debug.txt');
  const args = ['-p', 'go', '--debug-file', debugFile];
  const { finished, child } = lathe(workspace, args, env);
  child.stdin.end();
  const { code, stdout } = await finished;
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Done.\n' });
  expect(api.refusals).toEqual([]);
  return api.requests.slice(1).map(({ body }) => JSON.stringify(body.messages.at(-1)));
}

describe.skipIf(obstacle !== null)('THREATS 16: a headless run with the sandbox on', () => {
  describe('with settings of its own', () => {
    beforeEach(setUp);
    afterEach(tearDown);

    test('runs commands unasked inside, explains what it stopped, and leaves nothing behind', async () => {
      const outside = join(workspace.home, 'outside.txt');
      const results = await run({ enabled: true }, [
        {
          command:
            'mkdir made && cd made && echo hi > a.txt && echo "$TMPDIR" && touch "$TMPDIR/t"',
        },
        { command: 'pwd' },
        { command: `echo no > ${outside}` },
      ]);
      expect(results[0]).toContain('/lathe-sandbox-');
      expect(results[0]).toContain(
        `The working directory is now ${join(workspace.project, 'made')}`,
      );
      expect(results[1]).toContain(join(workspace.project, 'made'));
      expect(results[2]).toContain(`The sandbox did not allow: writing ${outside}.`);
      expect(results[2]).toContain('dangerouslyDisableSandbox');
      expect(existsSync(outside)).toBe(false);
      expect(readdirSync(workspace.project)).toEqual(['made']);
      expect(readdirSync(join(workspace.project, 'made'))).toEqual(['a.txt']);
      await nothingLeft(workspace);
    });

    test('gives commands no keys that settings withhold', async () => {
      const key = join(workspace.home, 'key');
      await writeFile(key, 'sesame in a file');
      const credentials = {
        files: [{ path: '~/key', mode: 'deny' }],
        envVars: [
          { name: 'DENIED', mode: 'deny' },
          // Nothing opens encrypted connections to put it in, so that it is withheld too.
          { name: 'MASKED', mode: 'mask' },
        ],
      };
      const env = { DENIED: 'sesame one', MASKED: 'sesame two', PLAIN: 'kept' };
      const command = `cat ${key}; env`;
      const [inside, outside] = await run({ enabled: true, credentials }, [{ command }], { env });
      expect(outside).toBeUndefined();
      expect(inside).toContain('PLAIN=kept');
      expect(inside).not.toContain('sesame');
      await nothingLeft(workspace);
      await api?.close();
      const [plain] = await run({ enabled: true }, [{ command }], { env });
      expect(plain?.match(/sesame/g)).toHaveLength(3);
    });

    test('puts a masked key in on the way to its hosts, and shows it to no command, log or debug file', async (t) => {
      t.skip(noCurl !== null);
      const server = await startSeeingServer('https');
      const sent = () => server.seen.map(({ headers }) => headers.authorization);
      const sandbox = {
        enabled: true,
        // No filter then keeps processes inside from being looked at.
        network: {
          ...{ tlsTerminate: {}, allowAllUnixSockets: true },
          allowedDomains: ['localhost', '127.0.0.1'],
        },
        credentials: { envVars: [{ name: 'MASKED', mode: 'mask', injectHosts: ['localhost'] }] },
      };
      const curl = (host: string) =>
        `curl -sS --noproxy '' -H "Authorization: $MASKED" https://${host}:${server.port}/`;
      const command = `env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'; ${curl('localhost')} && ${curl('127.0.0.1')}`;
      const env = { MASKED: 'sesame-sesame', NODE_EXTRA_CA_CERTS: CA_FILE };
      try {
        const [inside] = await run(sandbox, [{ command }], {}, env);
        expect(inside).toContain('MASKED=fake_value_');
        expect(inside).toContain(String.raw`seen\nseen`);
        expect(inside).not.toContain('sesame');
        expect(sent()).toEqual(['sesame-sesame', expect.stringMatching(/^fake_value_/)]);
        const names = readdirSync(workspace.home, { recursive: true, withFileTypes: true });
        const written = names.filter((entry) => entry.isFile());
        expect(written.map(({ name }) => name)).toContain('debug.txt');
        for (const { parentPath, name } of written)
          expect(await readFile(join(parentPath, name), 'utf8')).not.toContain('sesame');
        await nothingLeft(workspace);
      } finally {
        await server.close();
      }
    });

    test('puts a masked file in on the way to its hosts, and runs nothing unasked without walls between files', async (t) => {
      t.skip(noCurl !== null);
      const server = await startSeeingServer('https');
      const sent = () => server.seen.map(({ headers }) => headers.authorization);
      await writeFile(join(workspace.home, 'netrc'), 'password sesame-sesame\n');
      const file = { path: '~/netrc', mode: 'mask', extract: 'password (\\S+)' };
      const sandbox = {
        enabled: true,
        network: { tlsTerminate: {}, allowedDomains: ['localhost'] },
        credentials: { files: [{ ...file, injectHosts: ['localhost'] }] },
      };
      const command = `cat ~/netrc; curl -sS --noproxy '' -H "Authorization: $(sed 's/.* //' ~/netrc)" https://localhost:${server.port}/`;
      const env = { NODE_EXTRA_CA_CERTS: CA_FILE };
      try {
        const [inside] = await run(sandbox, [{ command }], {}, env);
        expect(inside).toContain('password fake_value_');
        expect(inside).toContain('seen');
        expect(inside).not.toContain('sesame');
        expect(sent()).toEqual(['sesame-sesame']);
        const open = { ...sandbox, filesystem: { disabled: true } };
        const [asked] = await run(open, [{ command: 'touch ~/made' }], {}, env);
        expect(asked).toContain('ermission');
        expect(existsSync(join(workspace.home, 'made'))).toBe(false);
        const [made] = await run(
          { ...open, autoAllowBashIfSandboxed: true },
          [{ command: `touch ~/made; cat ~/netrc` }],
          {},
          env,
        );
        expect(made).toContain('password fake_value_');
        expect(existsSync(join(workspace.home, 'made'))).toBe(true);
        await nothingLeft(workspace);
      } finally {
        await server.close();
      }
    });

    test('where leaving is switched off, the command runs inside all the same', async () => {
      const outside = join(workspace.home, 'outside.txt');
      const [result] = await run({ enabled: true, allowUnsandboxedCommands: false }, [
        { command: `echo no > ${outside}`, dangerouslyDisableSandbox: true },
      ]);
      expect(result).toContain('The sandbox did not allow');
      expect(result).not.toContain('dangerouslyDisableSandbox: true');
      expect(existsSync(outside)).toBe(false);
    });

    test('without auto-allow the sandbox only adds to the questions', async () => {
      const results = await run({ enabled: true, autoAllowBashIfSandboxed: false }, [
        { command: 'touch a.txt' },
        {
          command: `cat ${join(workspace.home, '.claude/settings.json')} > /dev/null; echo "$TMPDIR"`,
        },
        { command: 'echo "$TMPDIR"' },
      ]);
      expect(results[0]).toContain('needs approval');
      expect(results[2]).toContain('/lathe-sandbox-');
    });
  });

  describe('and rules', () => {
    // A program of which nobody knows what it opens.
    const script = `const fs=require("fs");const f=["private/key","vendor/x"];try{console.log(fs.readFileSync(f[0],"utf8"))}catch(e){console.log("no read")}try{fs.writeFileSync(f[1],"x")}catch(e){console.log("no write")}`;
    const fetch = `const p=new URL(process.env.HTTP_PROXY);require("net").connect(p.port,p.hostname,function(){this.write("CONNECT no.invalid:443 HTTP/1.1\\r\\nProxy-Authorization: Basic "+btoa(decodeURIComponent(p.username)+":"+decodeURIComponent(p.password))+"\\r\\n\\r\\n")}).on("data",(d)=>{console.log(String(d).split("\\r\\n")[0]);process.exit(1)})`;
    let results: readonly string[] = [];
    let outside = '';
    // One run is enough: the commands have nothing to do with each other.
    beforeAll(async () => {
      await setUp();
      outside = join(workspace.home, 'outside.txt');
      await mkdir(join(workspace.project, 'private'));
      await mkdir(join(workspace.project, 'vendor'));
      await writeFile(join(workspace.project, 'private/key'), 'sesame');
      await writeFile(join(workspace.project, 'try.cjs'), script);
      await writeFile(join(workspace.project, 'fetch.cjs'), fetch);
      results = await run(
        { enabled: true, excludedCommands: ['make'] },
        [
          { command: 'touch out.txt', dangerouslyDisableSandbox: true },
          { command: 'make all' },
          { command: 'rm -rf build && echo gone' },
          { command: 'touch fine.txt' },
          { command: `'${process.execPath}' try.cjs` },
          { command: `'${process.execPath}' fetch.cjs` },
          {
            command: `sleep 0.2; echo no > ${outside}; echo after; sleep 300`,
            run_in_background: true,
          },
          { command: 'sleep 0.6; ls' },
        ],
        {
          permissions: {
            deny: ['Bash(rm:*)', 'Read(./private/**)', `Edit(/${workspace.project}/vendor/**)`],
          },
        },
      );
    });
    afterAll(tearDown);

    test('asks before it lets a command out, so here it is denied; rules win over the sandbox', () => {
      expect(results[0]).toContain('it is to run outside the sandbox');
      expect(results[1]).toContain('needs approval');
      expect(results[2]).toContain('Permission denied: a deny rule covers it');
      expect(results[3]).not.toContain('is_error');
      const made = ['fetch.cjs', 'fine.txt', 'private', 'try.cjs', 'vendor'];
      expect(readdirSync(workspace.project).sort()).toEqual(made);
    });

    test('what rules deny to read and edit is denied to any program inside', () => {
      expect(results[4]).toContain('no read\\nno write');
      expect(readdirSync(join(workspace.project, 'vendor'))).toEqual([]);
    });

    test('a host that nothing allows is refused, and the model is told why', () => {
      expect(results[5]).toContain('403');
      expect(results[5]).toContain('reaching no.invalid:443 (nobody can be asked in this session)');
    });

    test('a background command is sandboxed too, and nothing outlives the run', async () => {
      expect(results[6]).toContain('It runs in the background');
      expect(existsSync(outside)).toBe(false);
      await nothingLeft(workspace);
    });
  });
});
