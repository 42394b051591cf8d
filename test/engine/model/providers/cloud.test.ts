import { afterEach, describe, expect, it } from 'vitest';
import type { ProviderOptions } from '../../../../src/main/engine/model/providers/cloud';
import { providersFromEnv } from '../../../../src/main/engine/model/providers/from-env';
import { type ScriptedApi, startScriptedApi } from '../../../support/scripted-api';
import { error, reply, toolUse } from '../../../support/scripted-api-replies';
import { type ScriptedProvider, startScriptedProvider } from '../../../support/scripted-providers';
import { ask, clientFor, collect, fakeClock, typesOf } from '../fakes';

const open: (ScriptedApi | ScriptedProvider)[] = [];
const opened = <T extends ScriptedApi | ScriptedProvider>(server: T): T => {
  open.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const SECRET = 'aws-secret-of-the-test-0000';
const bedrock = (baseUrl: string): ProviderOptions => ({
  kind: 'bedrock',
  region: 'eu-central-1',
  baseUrl,
  credentials: { accessKeyId: 'AKTEST', secretAccessKey: SECRET },
});
const vertex = (baseUrl: string): ProviderOptions => ({
  kind: 'vertex',
  region: 'europe-west1',
  projectId: 'lathe-test',
  baseUrl,
  accessToken: 'google-token-of-the-test',
});
const tools = [{ name: 'Read', description: 'reads', input_schema: { type: 'object' } }];

describe('a provider of its own', () => {
  it('Bedrock: signs, names the model its way, and its event frames become the same events', async () => {
    const server = opened(
      await startScriptedProvider('bedrock', [reply(['Grüße 👋', toolUse('Read', { a: 1 })])]),
    );
    const client = clientFor('', { providers: [bedrock(server.url)], withoutAnthropic: true });
    const events = await collect(client, ask('x', { tools }));
    const [request] = server.requests;
    expect(request?.path).toBe('/model/anthropic.claude-opus-5-5/invoke-with-response-stream');
    expect(request?.headers['authorization']).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKTEST\/\d+\/eu-central-1\/bedrock/,
    );
    expect(JSON.stringify(request)).not.toContain(SECRET);
    expect(JSON.stringify(request)).not.toContain('sk-ant');
    expect(request?.body).toMatchObject({
      max_tokens: 1000,
      anthropic_version: expect.any(String),
    });
    expect(request?.body).not.toHaveProperty('model');
    expect(events.filter((e) => e.type === 'block_finished').map((e) => e.block)).toMatchObject([
      { type: 'text', text: 'Grüße 👋' },
      { type: 'tool_use', name: 'Read', input: { a: 1 } },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'message_finished', stopReason: 'tool_use' });
  });

  it('Vertex: sends the token, and the project and the model in the path', async () => {
    const server = opened(await startScriptedProvider('vertex', [reply('hello')]));
    const client = clientFor('', { providers: [vertex(server.url)], withoutAnthropic: true });
    const events = await collect(client, ask('x'));
    expect(server.requests[0]?.path).toBe(
      '/projects/lathe-test/locations/europe-west1/publishers/anthropic/models/claude-opus-5-5:streamRawPredict',
    );
    expect(server.requests[0]?.headers['authorization']).toBe('Bearer google-token-of-the-test');
    expect(server.requests[0]?.headers).not.toHaveProperty('x-api-key');
    expect(events.at(-1)?.type).toBe('message_finished');
  });

  it('words its refusals with its own name and never with a key', async () => {
    const server = opened(
      await startScriptedProvider('bedrock', [error(403, `no access with ${SECRET}`)]),
    );
    const client = clientFor('', { providers: [bedrock(server.url)], withoutAnthropic: true });
    const last = (await collect(client, ask('x'))).at(-1);
    expect(last).toMatchObject({ type: 'failed', error: { kind: 'permission' } });
    expect(JSON.stringify(last)).toMatch(/Amazon Bedrock does not allow .*AWS_PROFILE/);
    expect(JSON.stringify(last)).not.toContain(SECRET);
  });
});

describe('failover', () => {
  it('a long rate limit brings the next provider, says so, and lets the first one rest', async () => {
    const api = opened(
      await startScriptedApi((_, n) =>
        n === 0 ? error(429, 'slow down', { 'retry-after': '600' }) : reply('from the first'),
      ),
    );
    const second = opened(await startScriptedProvider('bedrock', [reply('from the second')]));
    const clock = fakeClock();
    const client = clientFor(api.url, { clock, providers: [bedrock(second.url)] });
    const events = await collect(client, ask('x'));
    expect(clock.slept).toEqual([]);
    expect(events[0]).toEqual({
      type: 'notice',
      level: 'warning',
      code: 'provider_failover',
      text: 'Anthropic cannot serve this now; Amazon Bedrock answers.',
    });
    expect(typesOf(await collect(client, ask('y')))).not.toContain('notice');
    expect([api.requests.length, second.requests.length]).toEqual([1, 2]);
    await clock.sleep(601_000);
    const back = await collect(client, ask('z'));
    expect(back[0]).toMatchObject({
      code: 'provider_failover',
      level: 'info',
      text: 'Anthropic answers again.',
    });
    expect([api.requests.length, second.requests.length]).toEqual([2, 2]);
  });

  it.each([
    [30_000, [20_000], 'Anthropic'],
    [10_000, [], 'Amazon Bedrock'],
  ])('what is a long rate limit can be set: %d ms', async (failoverWaitMs, slept, who) => {
    const limited = error(429, 'slow down', { 'retry-after': '20' });
    const api = opened(await startScriptedApi([limited, reply('Anthropic')]));
    const second = opened(await startScriptedProvider('bedrock', [reply('Amazon Bedrock')]));
    const clock = fakeClock();
    const providers = [bedrock(second.url)];
    const client = clientFor(api.url, { clock, providers, failoverWaitMs });
    const events = await collect(client, ask('x'));
    expect(clock.slept).toEqual(slept);
    expect(JSON.stringify(events.filter((e) => e.type === 'block_finished'))).toContain(who);
  });

  it('goes anthropic, bedrock, vertex; a short limit is waited for', async () => {
    const api = opened(
      await startScriptedApi([error(429, 'x', { 'retry-after': '2' }), error(529), error(529)]),
    );
    const second = opened(await startScriptedProvider('bedrock', [error(503)]));
    const third = opened(await startScriptedProvider('vertex', [reply('from the third')]));
    const clock = fakeClock();
    const client = clientFor(api.url, {
      clock,
      providers: [bedrock(second.url), vertex(third.url)],
    });
    const events = await collect(client, ask('x'));
    expect(clock.slept[0]).toBe(2000);
    expect([api, second, third].map((s) => s.requests.length)).toEqual([3, 3, 1]);
    expect(events.flatMap((e) => (e.type === 'notice' ? [e.text] : []))).toEqual([
      'Anthropic cannot serve this now; Amazon Bedrock answers.',
      'Amazon Bedrock cannot serve this now; Google Vertex AI answers.',
    ]);
    expect(events.at(-1)?.type).toBe('message_finished');
  });

  it('never answers a refused request elsewhere, nor one whose call may run already', async () => {
    const api = opened(await startScriptedApi([error(400, 'messages: roles must alternate')]));
    const second = opened(await startScriptedProvider('bedrock', [reply('no')]));
    const client = clientFor(api.url, { providers: [bedrock(second.url)] });
    expect((await collect(client, ask('x'))).at(-1)?.type).toBe('failed');
    expect(second.requests).toHaveLength(0);
  });
});

describe('the environment', () => {
  it.each([
    [{}, 'anthropic', []],
    [{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }, 'anthropic', []],
    [{ CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'us-west-2' }, 'bedrock', ['bedrock us-west-2']],
    [{ CLAUDE_CODE_USE_VERTEX: '1' }, 'vertex', []],
    [
      {
        LATHE_PROVIDERS: 'anthropic, vertex bedrock',
        ANTHROPIC_VERTEX_PROJECT_ID: 'p',
        CLOUD_ML_REGION: 'eu',
      },
      'anthropic',
      ['bedrock us-east-1', 'vertex eu'],
    ],
  ])('%j', (env, first, others) => {
    const plan = providersFromEnv(env);
    expect(plan.first).toBe(first);
    expect(plan.others.map((o) => `${o.kind} ${o.region}`)).toEqual(others);
  });
});
