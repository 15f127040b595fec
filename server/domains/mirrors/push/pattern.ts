import { invalid } from '../../../lib/fail.ts'
import { linearPattern } from '../../../lib/linear-pattern.ts'

/** The pattern of the branches that a mirror follows. Throws 400 for what is none, or too large to be tried on every branch. */
export function branchPattern(source: string): { test(name: string): boolean } {
  const compiled = patternOf(source)
  return { test: (name) => compiled.matcher(name).find() }
}

function patternOf(source: string) {
  try {
    return linearPattern(source)
  } catch (error) {
    throw invalid({ mirror_branch_regex: `not valid RE2 syntax: ${(error as Error).message}` })
  }
}
