import { RE2JS } from 're2js'

import { invalid } from '../../../lib/fail.ts'

/** The pattern of the branches that a mirror follows. Throws 400 for what is none; its time is linear whatever it says. */
export function branchPattern(source: string): { test(name: string): boolean } {
  try {
    const compiled = RE2JS.compile(source)
    return { test: (name) => compiled.matcher(name).find() }
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : ''
    throw invalid({ mirror_branch_regex: `not valid RE2 syntax: ${reason}` })
  }
}
