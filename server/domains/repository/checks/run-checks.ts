import type { Check, CheckInput } from './check.ts'
import { respectCodeOwners } from './code-owners.ts'
import { keepDefaultBranch } from './default-branch.ts'
import { respectLargeFiles } from './large-files.ts'
import { haveValidNames } from './names.ts'
import { respectProtection } from './protected-branches.ts'
import { respectTagProtection } from './protected-tags.ts'
import { respectPushRules } from './push-rules.ts'
import { hasRoom } from './repository-size.ts'
import { isWritable } from './writable.ts'

/** All rules, in the order in which they are asked: cheap ones first. Push rules, which look into commits, come last. */
const CHECKS: readonly Check[] = [
  isWritable,
  haveValidNames,
  keepDefaultBranch,
  respectTagProtection,
  respectProtection,
  respectCodeOwners,
  hasRoom,
  respectLargeFiles,
  respectPushRules,
]

/** Why refs must not move. */
export interface Refused {
  readonly sentence: string
  /** The push rule of the project says so: what is to be written is not acceptable, whoever writes it. */
  readonly byPushRule: boolean
}

/** The first rule that refuses, and what it says; undefined when the refs may move. */
export async function judge(input: CheckInput): Promise<Refused | undefined> {
  for (const check of CHECKS) {
    const sentence = await check(input)
    if (sentence !== undefined) return { sentence, byPushRule: check === respectPushRules }
  }
  return undefined
}

/** The sentence of the first rule that refuses; undefined when the refs may move. */
export async function refusalOf(input: CheckInput): Promise<string | undefined> {
  return (await judge(input))?.sentence
}
