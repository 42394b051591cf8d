import { memo } from 'react';
import type { Item } from '../../shared/transcript';
import { duration, money, plural } from '../ui/format';
import { Notice } from '../ui/Notice';
import { endLook } from './end-line';

type EndItem = Extract<Item, { kind: 'end' }>;

/** How a query ended: small print when it simply finished, else what happened in words. */
export const EndRow = memo(function EndRow({ item }: { readonly item: EndItem }) {
  const look = endLook(item.terminal);
  const facts = [
    ...(item.turns > 0 ? [plural(item.turns, 'turn')] : []),
    duration(item.durationMs),
    ...(item.costUsd > 0 ? [money(item.costUsd)] : []),
  ];
  if (look.level === 'meta' || look.level === 'info')
    return (
      <p className="px-2 text-meta text-ink-3 tabular-nums">
        {[...(look.level === 'info' ? [look.title] : []), ...facts].join(' · ')}
      </p>
    );
  return (
    <Notice level={look.level} title={look.title}>
      {item.text === '' ? null : <p className="whitespace-pre-wrap">{item.text}</p>}
      <p className="mt-1 text-meta text-ink-3 tabular-nums">{facts.join(' · ')}</p>
    </Notice>
  );
});
