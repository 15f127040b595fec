import type { Check, CheckInput } from './check.ts'
import { respectCodeOwners } from './code-owners.ts'
import { keepDefaultBranch } from './default-branch.ts'
import { haveValidNames } from './names.ts'
import { respectProtection } from './protected-branches.ts'
import { respectTagProtection } from './protected-tags.ts'
import { isWritable } from './writable.ts'

/** All rules, in the order in which they are asked: cheap ones first. Push rules join here. */
const CHECKS: readonly Check[] = [
  isWritable,
  haveValidNames,
  keepDefaultBranch,
  respectTagProtection,
  respectProtection,
  respectCodeOwners,
]

/** The sentence of the first rule that refuses; undefined when the refs may move. */
export async function refusalOf(input: CheckInput): Promise<string | undefined> {
  for (const check of CHECKS) {
    const refusal = await check(input)
    if (refusal !== undefined) return refusal
  }
  return undefined
}
