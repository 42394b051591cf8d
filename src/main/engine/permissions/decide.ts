import type { Decision } from '../../../shared/permission';
import { decideFile } from './decide-file';
import { decideShell } from './decide-shell';
import { decideTool } from './decide-tool';
import type { Decide } from './request';
import { readRules } from './rules';

/**
 * May this call run? Pure and total. In the order of SPEC E1: deny rules, ask rules, safety checks, mode,
 * allow rules, read-only, else ask. `why` is the chain of reasons, most decisive first.
 */
export const decide: Decide = (request, rules, mode, context) => {
  const parsed = readRules(rules);
  switch (request.kind) {
    case 'shell':
      return settle(decideShell(request, parsed, mode, context), mode);
    case 'file':
      return settle(decideFile(request, parsed, mode, context), mode);
    case 'tool':
      return settle(decideTool(request, parsed, mode), mode);
  }
};

/** What the mode makes of a decision that would ask. */
function settle(decision: Decision, mode: Parameters<Decide>[2]): Decision {
  if (decision.behavior !== 'ask') return decision;
  if (mode === 'dontAsk') {
    const reason = `this mode never asks, and it would have to be asked: ${decision.reason}`;
    return {
      ...decision,
      behavior: 'deny',
      reason,
      why: [reason, ...decision.why],
      suggestions: [],
    };
  }
  if (mode === 'auto') {
    const note = 'automatic approval is not available yet; this mode asks like the default one';
    return { ...decision, why: [...decision.why, note] };
  }
  return decision;
}
