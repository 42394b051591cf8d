import { type ModelClientOptions, parseCustomHeaders } from '../engine/model/create-client';
import type { AnthropicOptions } from '../engine/model/providers/anthropic';

type Environment = Readonly<Record<string, string | undefined>>;

/** How requests are sent, as the environment says it. */
export type RequestSettings = Pick<
  AnthropicOptions,
  'version' | 'betas' | 'customHeaders' | 'timeoutMs'
> &
  Pick<ModelClientOptions, 'maxAttempts' | 'idleMs' | 'unattended'>;

/**
 * Reads what the environment says of requests (docs/configuration.md, and Lathe's own `LATHE_API_VERSION`,
 * `LATHE_STREAM_IDLE_MS`, `LATHE_UNATTENDED`). Values that are no numbers are left out. Pure.
 */
export function requestSettings(env: Environment): RequestSettings {
  const version = env['LATHE_API_VERSION']?.trim();
  const timeoutMs = wholeNumber(env['API_TIMEOUT_MS']);
  const retries = wholeNumber(env['CLAUDE_CODE_MAX_RETRIES']);
  const idleMs = wholeNumber(env['LATHE_STREAM_IDLE_MS']);
  return {
    betas: (env['ANTHROPIC_BETAS'] ?? '')
      .split(',')
      .map((beta) => beta.trim())
      .filter((beta) => beta !== ''),
    customHeaders: parseCustomHeaders(env['ANTHROPIC_CUSTOM_HEADERS']),
    ...(version ? { version } : {}),
    ...(timeoutMs ? { timeoutMs } : {}),
    ...(retries === null ? {} : { maxAttempts: retries + 1 }),
    ...(idleMs === null ? {} : { idleMs }),
    ...(/^(1|true|yes|on)$/i.test(env['LATHE_UNATTENDED'] ?? '') ? { unattended: true } : {}),
  };
}

const wholeNumber = (text: string | undefined): number | null =>
  /^\d{1,9}$/.test(text?.trim() ?? '') ? Number(text) : null;
