import { countObjects } from '../../../git/repository.ts'
import { settingsOf } from '../../settings/index.ts'
import type { CheckInput } from './check.ts'

const MIB = 1024 * 1024
const CONTACT = 'Please contact your administrator for more information.'

/**
 * A repository that is larger than the setting `repository_size_limit` takes nothing but deletions, and a push that would
 * make it larger than that is refused (spec administration 1.3).
 */
export async function hasRoom({ ctx, repo, changes, source, env }: CheckInput): Promise<string | undefined> {
  const limit = (settingsOf(ctx).repository_size_limit ?? 0) * MIB
  if (limit === 0 || changes.every((change) => change.new === null)) return undefined
  const { bytes } = await countObjects(repo)
  if (bytes > limit) return exceeded(source, limit, bytes - limit)
  // Objects of a push lie apart until it is accepted.
  const added = env ? (await countObjects(repo, { env: apart(env) })).bytes : 0
  if (bytes + added <= limit) return undefined
  return `Your push to this repository would cause it to exceed the size limit of ${inWords(limit)} so it has been rejected. ${CONTACT}`
}

/** Only what came with the push is counted, not the repository beside it. */
function apart(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => name !== 'GIT_ALTERNATE_OBJECT_DIRECTORIES'),
  )
}

const REFUSED = {
  push: 'Your push has been rejected',
  api: 'Your changes could not be committed',
  merge: 'This merge request cannot be merged',
  mirror: 'The mirror could not be updated',
}

function exceeded(source: CheckInput['source'], limit: number, over: number): string {
  return `${REFUSED[source]}, because this repository has exceeded its size limit of ${inWords(limit)} by ${inWords(over)}. ${CONTACT}`
}

/** Bytes as people read them: `1 MiB`, `512 KiB`. */
function inWords(bytes: number): string {
  const [size, unit] = bytes >= MIB ? [bytes / MIB, 'MiB'] : [bytes / 1024, 'KiB']
  return `${Number(size.toFixed(2))} ${unit}`
}
