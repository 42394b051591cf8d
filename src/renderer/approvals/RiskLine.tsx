import { TriangleAlert } from 'lucide-react';

/** What could go wrong, in a few words each. */
export function RiskLine({ risks }: { readonly risks: readonly string[] }) {
  if (risks.length === 0) return null;
  return (
    <ul aria-label="Risks" className="mt-2 flex flex-wrap gap-1.5">
      {risks.map((risk) => (
        <li
          key={risk}
          className="flex items-center gap-1 rounded-sm bg-waits-tint px-1.5 py-0.5 text-meta font-medium text-waits"
        >
          <TriangleAlert size={12} aria-hidden className="shrink-0" />
          {risk}
        </li>
      ))}
    </ul>
  );
}
