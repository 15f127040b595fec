import { serve } from '../../../threads/serve.ts'
import type { CoverageWork } from './coverage.ts'
import { lastNumber, patternIn } from './coverage-pattern.ts'

serve<CoverageWork>(({ text, given }) => {
  const pattern = patternIn(given)
  const found = pattern && lastNumber(text, pattern)
  return found === 'late' ? null : found
})
