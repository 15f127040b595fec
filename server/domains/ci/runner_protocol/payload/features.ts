import { FAILURE_REASONS } from '../../config/failure-reasons.ts'

/** What runners may count on; prefixes of tokens are masked in logs, at most ten of them (spec ci 1.8). */
export function featuresOf(prefixes: readonly string[]) {
  return {
    trace_sections: true,
    token_mask_prefixes: [...new Set(prefixes)].filter((prefix) => prefix !== '').slice(0, 10),
    failure_reasons: [...FAILURE_REASONS],
  }
}
