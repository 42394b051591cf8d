import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startApi, textAnswer, toolAnswer } from './api-server.mjs';
import { makeHome, openPage, startBrowser, startHost } from './page-app.mjs';
import { row } from './table.mjs';

const FLOODS = 12;
const CALLS = 30;

/** Rows that count the ends of output that get lost beside floods, in both hosts. */
export async function endRows(entry, tell) {
  const rows = [];
  for (const way of ['headless', 'web host']) {
    const lost = await lostEnds(entry, way);
    tell(`ends, ${way}`, lost);
    rows.push(row(`${CALLS} calls beside ${FLOODS} floods, ${way}: ends lost`, '', lost.length, 0));
  }
  return rows;
}

/** Makes a home in which commands run unasked. */
export function makeTrustingHome() {
  const place = makeHome();
  mkdirSync(join(place.home, '.claude'));
  const settings = JSON.stringify({ permissions: { allow: ['Bash'] } });
  writeFileSync(join(place.home, '.claude', 'settings.json'), settings);
  return place;
}

/** Returns answers that only the agent's own requests use up, not those for titles. */
export function agentAnswers(answers) {
  let used = 0;
  return ({ tools = [] }) => {
    if (!tools.some(({ name }) => name === 'Bash')) return textAnswer('A title');
    used += 1;
    return answers[used - 1];
  };
}

/** Returns a call of a command in the background. */
export const background = (command) => ['Bash', { command, run_in_background: true }];

/** Returns the calls whose result lacks a line of what was printed, beside floods. */
async function lostEnds(entry, way) {
  const place = makeTrustingHome();
  // Equal calls in a row would be stopped.
  const calls = Array.from({ length: CALLS }, (_, i) =>
    toolAnswer(['Bash', { command: `seq 1 4000; echo THE-END; : ${i}` }]),
  );
  const floods = Array.from({ length: FLOODS }, (_, i) => background(`timeout 300 yes flood-${i}`));
  const api = await startApi(
    agentAnswers([toolAnswer(...floods), ...calls, textAnswer('All-done')]),
  );
  const asked = () => api.requests.filter(({ body }) => body.includes('"name":"Bash"'));
  const { end, ended } = await (way === 'headless'
    ? askHeadless(entry, place, api.url)
    : askPage(entry, place, api.url));
  try {
    while (asked().length < CALLS + 2) {
      if (ended()) throw new Error(`It ended after ${asked().length} requests.`);
      await delay(200);
    }
    const results = JSON.parse(asked().at(-1).body.toString())
      .messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => JSON.stringify(content))
      .slice(FLOODS);
    return results.filter((text) => !/3999\\+n4000\\+nTHE-END/.test(text));
  } finally {
    await end();
    await api.close();
    place.remove();
  }
}

async function askHeadless(entry, { home, project }, apiUrl) {
  const child = spawn(process.execPath, [entry, '-p', 'go', '--trust'], {
    cwd: project,
    stdio: 'ignore',
    env: {
      ...{ PATH: process.env.PATH, HOME: home, LATHE_HOME: join(home, '.lathe') },
      ...{ SHELL: '/bin/bash', LANG: 'C.UTF-8', TERM: 'dumb' },
      ...{ ANTHROPIC_API_KEY: 'bench', ANTHROPIC_BASE_URL: apiUrl },
    },
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return {
    ended: () => child.exitCode !== null,
    end: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function askPage(entry, place, apiUrl) {
  const host = await startHost(entry, place, apiUrl);
  const browser = await startBrowser();
  const { composer } = await openPage(browser, host.link);
  await composer.fill('go');
  await composer.press('Enter');
  return {
    ended: () => false,
    end: async () => {
      await browser.close();
      await host.stop();
    },
  };
}
