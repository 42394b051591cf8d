import type { ModelErrorKind } from './model-client';

const NAMES: Readonly<Record<ModelErrorKind, string>> = {
  auth: 'authentication_failed',
  permission: 'authentication_failed',
  not_found: 'model_not_found',
  rate_limit: 'rate_limit',
  overloaded: 'overloaded',
  prompt_too_long: 'invalid_request',
  image: 'invalid_request',
  billing: 'billing_error',
  invalid_request: 'invalid_request',
  server: 'server_error',
  network: 'unknown',
  truncated: 'server_error',
  stalled: 'server_error',
  aborted: 'unknown',
};

/** How hooks and scripts name a failure (CONVENTIONS 4). */
export const failureName = (kind: ModelErrorKind): string => NAMES[kind];
