import { UsagePanel } from '../../../src/renderer/status/UsagePanel';
import { emptyTranscript, type Transcript } from '../../../src/shared/transcript';
import { recoveredTranscript } from './recovery-fixtures';

const nearlyFull: Transcript = {
  ...recoveredTranscript,
  context: { usedTokens: 968_000, windowTokens: 1_000_000 },
};

/** The usage panel of a session at work, of a full one, and of one that has not begun. */
export function UsageScene() {
  return (
    <main className="flex items-start gap-6 bg-canvas p-6">
      <h1 className="sr-only">Usage</h1>
      {[recoveredTranscript, nearlyFull, emptyTranscript('s', 'e')].map((source) => (
        <div
          key={source.context?.usedTokens ?? 0}
          className="w-72 rounded-md border border-line bg-raised p-3 text-code shadow-popover"
        >
          <UsagePanel source={source} models={[]} onSummarise={() => {}} onCosts={() => {}} />
        </div>
      ))}
    </main>
  );
}
