import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { error, reply } from '../../support/scripted-api-replies';
import { type ScriptedProvider, startScriptedProvider } from '../../support/scripted-providers';
import { lathe, linesOf, makeWorkspace, type Workspace } from './lathe';

let workspace: Workspace;
let cloud: ScriptedProvider | null = null;
beforeEach(async () => {
  workspace = await makeWorkspace();
});
afterEach(async () => {
  await cloud?.close();
  cloud = null;
  await workspace.remove();
});

type Answers = Parameters<typeof startScriptedProvider>[1];

/** Runs one prompt at Bedrock, with settings of the user or of the project and no credentials but what those bring. */
async function run(
  answers: Answers,
  settings: object,
  { of = 'home' as 'home' | 'project', env = {}, words = [] as readonly string[] } = {},
) {
  cloud = await startScriptedProvider('bedrock', answers);
  const folder = join(workspace[of], '.claude');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'settings.json'), JSON.stringify(settings));
  const { child, finished } = lathe(
    workspace,
    ['-p', 'hi', '--output-format', 'stream-json', '--verbose', ...words],
    {
      CLAUDE_CODE_USE_BEDROCK: '1',
      ANTHROPIC_BEDROCK_BASE_URL: cloud.url,
      AWS_EC2_METADATA_DISABLED: 'true',
      ...env,
    },
  );
  child.stdin.end();
  const done = await finished;
  const lines = linesOf(done.stdout);
  return {
    ...done,
    lines,
    result: lines.find(({ type }) => type === 'result'),
    statuses: lines.filter(({ type }) => type === 'auth_status'),
    signedBy: (cloud?.requests ?? []).map(
      ({ headers }) => /Credential=(\w+)\//.exec(headers['authorization'] ?? '')?.[1],
    ),
  };
}

async function script(name: string, text: string): Promise<string> {
  const file = join(workspace.home, name);
  await writeFile(file, `#!/bin/sh\n${text}\n`);
  await chmod(file, 0o755);
  return file;
}

const keysFile = (profile: string, id: string) =>
  `mkdir -p "$HOME/.aws"\nprintf '[${profile}]\\naws_access_key_id=${id}\\naws_secret_access_key=s3cr3t-of-the-test\\n' > "$HOME/.aws/credentials"`;
const printing = (id: string, token = '') =>
  `echo '{"Credentials": {"AccessKeyId": "${id}", "SecretAccessKey": "s3cr3t-of-the-test"${token === '' ? '' : `, "SessionToken": "${token}"`}}}'`;
const EXPIRED = error(403, 'The security token included in the request is expired');

test('signs in when there are no credentials, tells what the command prints, and asks with the new ones', async () => {
  const refresh = await script(
    'refresh',
    `echo "Open https://sign-in.example/device"\necho "Code: ABCD" >&2\n${keysFile('work', 'AKNEW')}\necho done`,
  );
  const { code, result, statuses, signedBy, lines } = await run([reply('hello')], {
    awsAuthRefresh: refresh,
    env: { AWS_PROFILE: 'work' },
  });
  expect({ code, result: result?.['result'], signedBy }).toEqual({
    ...{ code: 0, result: 'hello', signedBy: ['AKNEW'] },
  });
  expect(statuses[0]).toMatchObject({ isAuthenticating: true, output: [] });
  expect(statuses.at(-1)).toMatchObject({
    isAuthenticating: false,
    output: ['Open https://sign-in.example/device', 'Code: ABCD', 'done'],
    uuid: expect.any(String),
    session_id: expect.any(String),
  });
  expect(statuses.at(-1)).not.toHaveProperty('error');
  expect(lines.filter(({ subtype }) => subtype === 'informational')).toEqual([]);
});

test('signs in anew when the credentials are old, once, and says why where it fails', async () => {
  const refresh = await script('refresh', keysFile('default', 'AKNEW'));
  await mkdir(join(workspace.home, '.aws'));
  await writeFile(
    join(workspace.home, '.aws/credentials'),
    '[default]\naws_access_key_id=AKOLD\naws_secret_access_key=x\n',
  );
  const good = await run([EXPIRED, reply('hello')], { awsAuthRefresh: refresh });
  expect({ code: good.code, signedBy: good.signedBy }).toEqual({
    ...{ code: 0, signedBy: ['AKOLD', 'AKNEW'] },
  });
  await cloud?.close();
  const still = await run([EXPIRED], { awsAuthRefresh: refresh });
  expect({ code: still.code, asked: still.signedBy.length }).toEqual({ code: 1, asked: 2 });
  await cloud?.close();
  const bad = await script('bad', 'echo "no browser"\nexit 3');
  const { code, statuses, result, lines } = await run([EXPIRED], { awsAuthRefresh: bad });
  expect(code).toBe(1);
  expect(statuses.at(-1)).toMatchObject({
    output: ['no browser'],
    error: expect.stringMatching(/^awsAuthRefresh in .*settings\.json failed with exit code 3\.$/),
  });
  expect(String(result?.['result'])).toMatch(/exit code 3/);
  expect(lines.find(({ type }) => type === 'assistant')).toMatchObject({
    error: 'authentication_failed',
  });
});

test('uses keys that a command prints, asks for them again when they are refused, and never shows them', async () => {
  const runs = join(workspace.home, 'runs');
  const keys = await script(
    'export',
    `echo x >> ${runs}\nif [ "$(grep -c x ${runs})" = 1 ]; then ${printing('AKOLD')}; else ${printing('AKNEW', 'token-of-the-test')}; fi`,
  );
  const done = await run([EXPIRED, reply('hello')], { awsCredentialExport: keys });
  expect({ code: done.code, signedBy: done.signedBy, told: done.statuses }).toEqual({
    ...{ code: 0, signedBy: ['AKOLD', 'AKNEW'], told: [] },
  });
  expect(cloud?.requests[1]?.headers['x-amz-security-token']).toBe('token-of-the-test');
  expect(done.stdout + done.stderr).not.toMatch(/s3cr3t|token-of-the-test/);
  await cloud?.close();
  const empty = await script('empty', 'echo nothing of the kind');
  const failed = await run([reply('never')], { awsCredentialExport: empty });
  expect(failed.code).toBe(1);
  expect(String(failed.result?.['result'])).toMatch(/awsCredentialExport in .* printed no keys/);
  expect(cloud?.requests).toEqual([]);
});

test('an untrusted folder runs nothing, a trusted one runs it there', async () => {
  const marker = join(workspace.home, 'ran');
  const refresh = `pwd > ${marker}; ${keysFile('default', 'AKNEW').replace('\n', '; ')}`;
  const settings = { awsAuthRefresh: refresh };
  const untrusted = await run([reply('hello')], settings, { of: 'project' });
  expect({ code: untrusted.code, asked: untrusted.signedBy, told: untrusted.statuses }).toEqual({
    ...{ code: 1, asked: [], told: [] },
  });
  expect(untrusted.stderr).toMatch(/awsAuthRefresh: left out, because nobody trusts this folder/);
  expect(untrusted.lines.find(({ type }) => type === 'assistant')).toMatchObject({
    error: 'cloud_credential_error',
  });
  expect(untrusted.lines.filter(({ subtype }) => subtype === 'api_retry')).toEqual([]);
  await cloud?.close();
  const trusted = await run([reply('hello')], settings, { of: 'project', words: ['--trust'] });
  expect({ code: trusted.code, signedBy: trusted.signedBy }).toEqual({
    ...{ code: 0, signedBy: ['AKNEW'] },
  });
  expect((await readFile(marker, 'utf8')).trim()).toContain(workspace.project.split('/').at(-1));
});

test('signs in to Google, once, and text output tells of it on standard error', async () => {
  const refresh = await script('gcloud', 'echo "Go to https://accounts.example"');
  await mkdir(join(workspace.home, '.claude'));
  await writeFile(
    join(workspace.home, '.claude/settings.json'),
    JSON.stringify({ gcpAuthRefresh: refresh, awsAuthRefresh: 'echo not this' }),
  );
  const { child, finished } = lathe(workspace, ['-p', 'hi'], {
    ...{ CLAUDE_CODE_USE_VERTEX: '1', ANTHROPIC_VERTEX_PROJECT_ID: 'p' },
    ...{ ANTHROPIC_VERTEX_BASE_URL: 'http://127.0.0.1:9', METADATA_SERVER_DETECTION: 'none' },
  });
  child.stdin.end();
  const { code, stdout, stderr } = await finished;
  expect({ code, told: stderr.match(/Go to https:\/\/accounts\.example/g) }).toEqual({
    ...{ code: 1, told: ['Go to https://accounts.example'] },
  });
  expect(stderr).toContain('gcpAuthRefresh runs.');
  expect(stderr).not.toContain('not this');
  expect(stdout).toMatch(/no credentials for Google Vertex AI/);
});
