import { useState } from 'react';
import type { MarketplaceView } from '../../shared/plugin';
import type { DoPlugins } from '../store/plugins';
import { Button } from '../ui/Button';
import { TextField } from '../ui/Fields';
import { plural, tildePath } from '../ui/format';
import { VisibleText } from '../ui/VisibleText';

interface ListProps {
  readonly marketplaces: readonly MarketplaceView[];
  readonly home: string;
  readonly busy: boolean;
  readonly act: DoPlugins;
}

/** The places that offer plugins, and a field for another one. */
export function MarketplaceList({ marketplaces, home, busy, act }: ListProps) {
  const [source, setSource] = useState('');
  const add = async () => {
    if (await act({ kind: 'addMarketplace', source: source.trim() })) setSource('');
  };
  return (
    <section aria-label="Marketplaces" className="flex flex-col gap-2">
      <h3 className="text-meta font-medium text-ink-3">Marketplaces</h3>
      <ul className="flex flex-col gap-2">
        {marketplaces.map(({ name, from, added, plugins }) => (
          <li key={name} className="flex flex-wrap items-center gap-2 text-code">
            <span className="min-w-40 flex-1 [overflow-wrap:anywhere]">
              <span className="font-medium">
                <VisibleText text={name} />
              </span>{' '}
              <span className="text-meta text-ink-3">
                <VisibleText text={tildePath(from, home)} /> ·{' '}
                {added ? plural(plugins, 'plugin') : 'named in settings, not added'}
              </span>
            </span>
            {added ? (
              <span className="ml-auto flex flex-wrap justify-end gap-2">
                <Button
                  size="sm"
                  disabled={busy}
                  aria-label={`Look for updates of ${name}`}
                  onClick={() => act({ kind: 'updateMarketplace', name })}
                >
                  Look for updates
                </Button>
                <Button
                  size="sm"
                  variant="ghost"
                  disabled={busy}
                  aria-label={`Remove the marketplace ${name}`}
                  onClick={() => act({ kind: 'removeMarketplace', name })}
                >
                  Remove
                </Button>
              </span>
            ) : (
              <Button
                size="sm"
                disabled={busy}
                aria-label={`Add the marketplace ${name}`}
                onClick={() => act({ kind: 'addMarketplace', source: name })}
              >
                Add
              </Button>
            )}
          </li>
        ))}
      </ul>
      <form
        className="flex items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <div className="min-w-0 flex-1">
          <TextField
            label="Add a marketplace"
            hideLabel
            placeholder="Folder, git address, or owner/repo"
            value={source}
            onChange={setSource}
          />
        </div>
        <Button type="submit" className="mt-0.5" disabled={busy || source.trim() === ''}>
          Add
        </Button>
      </form>
    </section>
  );
}
