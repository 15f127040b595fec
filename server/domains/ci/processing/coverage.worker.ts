import { serve } from '../../../threads/serve.ts'
import type { CoverageWork } from './coverage.ts'
import { lastNumber, patternIn } from './coverage-pattern.ts'

serve<CoverageWork>(({ text, source }) => {
  const pattern = patternIn(source)
  const coverage = pattern && lastNumber(text, pattern)
  return coverage === 'late' ? null : coverage
})
