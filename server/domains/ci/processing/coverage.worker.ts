import { serve } from '../../../threads/serve.ts'
import type { CoverageWork } from './coverage.ts'
import { lastNumber, patternIn } from './coverage-pattern.ts'

serve<CoverageWork>(({ text, given }) => {
  const pattern = patternIn(given)
  const coverage = pattern && lastNumber(text, pattern)
  return coverage === 'late' ? null : coverage
})
